"use client";

import { PlanPage } from "@/plans/PlanPage";
import { PlanRunPage } from "@/plans/PlanRunPage";
import { PlansPage } from "@/plans/PlansPage";
import { useParameter } from "@/shell/address";
import "@/styles/lists.css";

/** The plans there are, one of them, or a run of one. */
export default function Plans() {
  const [planId] = useParameter("plan");
  const [runId] = useParameter("run");
  if (runId !== null) return <PlanRunPage runId={runId} />;
  return planId === null ? <PlansPage /> : <PlanPage key={planId} planId={planId} />;
}
