"use client";

import { AuditPage } from "@/records/AuditPage";
import { PairPage } from "@/records/PairPage";
import { RunsPage } from "@/records/RunsPage";
import { useParameter } from "@/shell/address";
import "@/styles/lists.css";
import "@/styles/records.css";

/** All runs, the record of one, or two side by side. */
export default function Runs() {
  const [runId] = useParameter("run");
  const [other] = useParameter("other");
  if (runId !== null && other !== null) return <PairPage one={runId} other={other} />;
  return runId === null ? <RunsPage /> : <AuditPage key={runId} runId={runId} />;
}
