"use client";

import Link from "next/link";
import { useState } from "react";
import type { GraphPart, Part } from "@/api/model";
import { useRun } from "@/api/useRun";
import { PartView } from "@/parts/Parts";
import { useWords } from "@/preferences/language";
import { auditAddress } from "@/records/addresses";
import { RunActions, RunView, StatusTag } from "@/runs/RunView";
import { RUNS } from "@/runs/words";
import { Icon } from "@/shell/Icon";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import { CorrectedPlan } from "./CorrectedPlan";
import { planAddress } from "./PlansPage";
import { SavePreset } from "./Presets";
import { formOf, formsIn, Wizard } from "./Wizard";
import { PLANS } from "./words";

const isGraph = (part: Part): part is GraphPart => part.kind === "graph";

/** A run of a plan: its graph as it goes, what it asks, what it gives. */
export function PlanRunPage({ runId }: { runId: string }) {
  const words = useWords(PLANS);
  const runs = useWords(RUNS);
  const shell = useWords(SHELL);
  const watched = useRun(runId);
  const graph = watched.parts.find(isGraph);
  const forms = formsIn(graph);
  const [chosen, setChosen] = useState<string | null>(null);
  const open = watched.run?.open_interactions ?? [];
  const shown = open.find((each) => formOf(each) === chosen) ?? open.find((each) => each.for_me !== false) ?? open[0];
  const isAtForms = forms.length > 1 && watched.status !== "succeeded" && watched.status !== "cancelled";
  const hasAnswers = forms.some((form) => form.status === "succeeded");
  const planId = watched.run?.input["plan_id"];
  return (
    <Page
      title={watched.run?.title || (watched.run ? runs.untitled : shell.run)}
      lead={watched.status && <StatusTag status={watched.status} warnings={watched.run?.warnings.length} />}
      actions={
        <>
          <RunActions watched={watched} />
          {typeof planId === "string" && planId && (
            <Link className="button small" href={planAddress(planId)} prefetch={false}>
              <Icon name="plan" />
              {words.toPlan}
            </Link>
          )}
          <Link className="button small" href={auditAddress(runId)} prefetch={false}>
            <Icon name="list" />
            {words.record}
          </Link>
        </>
      }
    >
      <RunView
        watched={watched}
        without={isGraph}
        asks={isAtForms && shown ? (each) => formOf(each) === formOf(shown) : undefined}
        aboveQuestions={isAtForms && <Wizard runId={runId} forms={forms} open={open.map(formOf)} current={shown ? formOf(shown) : null} onChoose={setChosen} />}
      >
        {graph ? <PartView part={graph} /> : null}
        {watched.run && (watched.status === "failed" || watched.status === "waiting") && <CorrectedPlan run={watched.run} />}
        {watched.run && hasAnswers && watched.status !== "running" && <SavePreset run={watched.run} />}
      </RunView>
    </Page>
  );
}
