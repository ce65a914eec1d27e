"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useId, useMemo, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Finding, JsonObject, Plan, PlanDetail, Run } from "@/api/model";
import { readPlan, readPlanParts, startPlanSample } from "@/api/plans";
import { listRuns, startRun } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { Fields, focusFirst } from "@/forms/Fields";
import { useDraft } from "@/forms/useDraft";
import { PartView } from "@/parts/Parts";
import { useWords } from "@/preferences/language";
import { RunList } from "@/runs/RunList";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { addressOf } from "@/shell/places";
import { SHELL } from "@/shell/words";
import { copyAddress, studioAddress } from "@/studio/addresses";
import { PresetChoice } from "./Presets";
import { changedValues, fieldsOf } from "./variables";
import { PLANS } from "./words";

const RECENT = 5;

/** One plan: its picture, what is wrong with it, and the way to run it. */
export function PlanPage({ planId }: { planId: string }) {
  const words = useWords(PLANS);
  const shell = useWords(SHELL);
  const ask = useCallback((signal: AbortSignal) => readPlan(planId, signal), [planId]);
  const { value: plan, problem, again } = useAnswer(ask);
  return (
    <Page
      title={plan?.title || planId}
      lead={plan?.description || undefined}
      actions={
        <>
          <Link className="button small" href="/plans" prefetch={false}>
            <Icon name="back" />
            {words.back}
          </Link>
          {plan && <DesignLink plan={plan} />}
        </>
      }
    >
      {problem && <ProblemNote problem={problem} retry={again} />}
      {plan === null && !problem && <Loading />}
      {plan && (
        <div className="stack">
          <Start plan={plan} />
          <section className="section">
            <h2>{words.picture}</h2>
            <Picture planId={planId} />
          </section>
          <Findings findings={plan.findings} />
          <Recent plan={plan} />
          <details className="aside">
            <summary>{shell.details}</summary>
            <div className="aside-inside">
              <p className="quiet">
                {plan.plan_id} · {words.version(plan.version)} · {plan.file}
              </p>
              <h3 className="part-title">{words.text}</h3>
              <pre className="plain-text" tabIndex={0}>
                {plan.text}
              </pre>
            </div>
          </details>
        </div>
      )}
    </Page>
  );
}

/** A sample is not changed, but copied. */
export function DesignLink({ plan }: { plan: Plan }) {
  const words = useWords(PLANS);
  const isSample = plan.origin === "sample";
  return (
    <Link className="button small" href={isSample ? copyAddress(plan.plan_id) : studioAddress(plan.plan_id)} prefetch={false}>
      <Icon name="plan" />
      {isSample ? words.copy : words.design}
    </Link>
  );
}

function Start({ plan }: { plan: PlanDetail }) {
  const words = useWords(PLANS);
  const prefix = useId();
  const router = useRouter();
  const [preset, setPreset] = useState("");
  const [isStarting, setStarting] = useState(false);
  const [failure, setFailure] = useState<Problem | null>(null);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const fields = useMemo(() => fieldsOf(plan, words.structured), [plan, words]);
  const draft = useDraft(`web:plan:${plan.plan_id}::vars`, fields);

  const begin = async (start: () => Promise<Run>) => {
    setStarting(true);
    setFailure(null);
    try {
      router.push(addressOf(await start()));
    } catch (error) {
      setFailure(problemFrom(error));
      setStarting(false);
    }
  };
  const run = () => {
    const { given, faults: found } = changedValues(plan, draft.values, words.unreadable);
    setFaults(found);
    if (Object.keys(found).length > 0) {
      focusFirst(prefix, fields, found);
      return;
    }
    const input: JsonObject = { plan_id: plan.plan_id, vars: given, preset };
    void begin(() => startRun({ workflow: "plan", input }));
  };
  if (!plan.valid) return <p className="problem">{words.invalid(plan.errors)}</p>;
  return (
    <section className="section" aria-label={words.startTitle}>
      <PresetChoice plan={plan} chosen={preset} onChoose={setPreset} />
      {fields.length > 0 && (
        <details className="aside">
          <summary>{words.variables}</summary>
          <div className="aside-inside start">
            <p className="quiet">{words.unchanged}</p>
            <Fields requirements={fields} values={draft.values} problems={faults} onChange={draft.change} prefix={prefix} />
          </div>
        </details>
      )}
      {failure && <ProblemNote problem={failure} />}
      <div className="form-actions">
        <button type="button" className="button primary" disabled={isStarting} onClick={run}>
          <Icon name="play" />
          {isStarting ? words.starting : words.start}
        </button>
        {plan.has_sample && (
          <button type="button" className="button" disabled={isStarting} title={words.sampleHint} onClick={() => void begin(() => startPlanSample(plan.plan_id))}>
            <Icon name="sparkle" />
            {words.sample}
          </button>
        )}
      </div>
      {plan.has_sample && <p className="quiet">{words.sampleHint}</p>}
    </section>
  );
}

function Picture({ planId }: { planId: string }) {
  const words = useWords(PLANS);
  const ask = useCallback((signal: AbortSignal) => readPlanParts(planId, signal), [planId]);
  const { value: parts, problem } = useAnswer(ask);
  if (problem) return <p className="quiet">{words.noPicture}</p>;
  if (parts === null) return <div className="graph-space" />;
  return parts.map((part) => <PartView key={part.id} part={{ ...part, title: "" }} />);
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  const words = useWords(PLANS);
  return (
    <section className="section">
      <h2>{words.findings}</h2>
      {findings.length === 0 && (
        <p className="fine">
          <Icon name="check" />
          {words.clean}
        </p>
      )}
      <ul className="findings">
        {findings.map((finding, at) => (
          <li key={at} className="problem" data-tone={finding.severity === "error" ? "bad" : "caution"}>
            <Icon name="warning" />
            <div>
              <p className="problem-message">
                {finding.severity === "error" ? words.error : words.warning}
                {"："}
                {finding.message}
              </p>
              {finding.hint && <p>{finding.hint}</p>}
              <p className="quiet">{words.place(finding.line, finding.node)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Recent({ plan }: { plan: PlanDetail }) {
  const words = useWords(PLANS);
  const ask = useCallback(
    (signal: AbortSignal) => listRuns({ workflow: "plan", containing: plan.title, limit: RECENT }, signal),
    [plan.title],
  );
  const runs = useAnswer(ask).value?.runs;
  if (!runs || runs.length === 0) return null;
  return (
    <section className="section">
      <h2>{words.recent}</h2>
      <RunList runs={runs} />
    </section>
  );
}
