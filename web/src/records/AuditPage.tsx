"use client";

import Link from "next/link";
import { useCallback, useMemo, useState } from "react";
import { API } from "@/api/client";
import type { Event, Part, Requirement, Run } from "@/api/model";
import { listWorkflows, readJournal, readParts, readRun, runPath } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { PartsContext, type PartsScene } from "@/parts/context";
import { PartView } from "@/parts/Parts";
import { PARTS } from "@/parts/words";
import { useLanguage, useWords } from "@/preferences/language";
import { StatusTag } from "@/runs/RunView";
import { RUNS } from "@/runs/words";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { addressOf } from "@/shell/places";
import { entriesOf, type Group } from "./entries";
import { EntryLine } from "./EntryLine";
import { overviewOf } from "./overview";
import { labelled, readable } from "./values";
import { RECORDS } from "./words";

const GROUPS: readonly (Group | "all")[] = ["all", "steps", "model", "people", "files"];
const NO_FIELDS: readonly Requirement[] = [];

/** The record of a run: what it was given, what was decided and why, what it cost, who answered what. */
export function AuditPage({ runId }: { runId: string }) {
  const words = useWords(RECORDS);
  const runs = useWords(RUNS);
  const ask = useCallback(
    (signal: AbortSignal) => Promise.all([readRun(runId, signal), readJournal(runId, signal), readParts(runId, signal)]),
    [runId],
  );
  const { value, problem, again } = useAnswer(ask);
  const title = value?.[0].title || (value ? runs.untitled : words.record);
  return (
    <Page
      title={title}
      tabTitle={words.recordOf(title)}
      lead={value && <StatusTag status={value[0].status} />}
      actions={
        <>
          {value && (
            <Link className="button small" href={addressOf(value[0])} prefetch={false}>
              <Icon name="forward" />
              {words.open}
            </Link>
          )}
          <a className="button small" href={`${API}${runPath(runId)}/journal`} download={`${title}.ndjson`}>
            <Icon name="download" />
            {words.journal}
          </a>
          <Link className="button small" href="/runs" prefetch={false}>
            <Icon name="back" />
            {words.back}
          </Link>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} retry={again} />}
      {value === null && !problem && <Loading />}
      {value && <Record run={value[0]} events={value[1]} parts={value[2]} />}
    </Page>
  );
}

function Record({ run, events, parts }: { run: Run; events: readonly Event[]; parts: readonly Part[] }) {
  const words = useWords(RECORDS);
  const partWords = useWords(PARTS);
  const language = useLanguage();
  const [group, setGroup] = useState<Group | "all">("all");
  const { value: workflows } = useAnswer(listWorkflows);
  const fields = workflows?.find((each) => each.name === run.workflow)?.requirements ?? NO_FIELDS;
  const given = labelled(run.input, fields);
  const reasons = parts.filter((part) => part.kind === "score");
  const titles = useMemo(() => new Map(run.steps.map((step) => [step.path.join("/"), step.title])), [run]);
  const entries = useMemo(() => entriesOf(events, titles), [events, titles]);
  const shown = group === "all" ? entries : entries.filter((entry) => entry.group === group);
  const scene = useMemo<PartsScene>(
    () => ({ runId: run.run_id, title: run.title, artifacts: run.artifacts, sources: new Map(), openSource: () => undefined }),
    [run],
  );
  return (
    <PartsContext value={scene}>
      <div className="stack">
        <section className="section">
          <h2>{words.overview}</h2>
          <dl className="facts">
            {overviewOf(run, words, language).map(({ label, value }) => (
              <div key={label} className="fact">
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
            {run.replay_of && (
              <div className="fact">
                <dt>{words.replayOf}</dt>
                <dd>
                  <Link href={`/runs?run=${encodeURIComponent(run.replay_of.run_id)}`} prefetch={false}>
                    {words.record}
                  </Link>
                </dd>
              </div>
            )}
          </dl>
        </section>
        {given.length > 0 && (
          <section className="section">
            <h2>{words.inputs}</h2>
            <dl className="facts">
              {given.map(({ id, label, value }) => (
                <div key={id} className="fact">
                  <dt>{label}</dt>
                  <dd>{readable(value, partWords.yes, partWords.no)}</dd>
                </div>
              ))}
            </dl>
          </section>
        )}
        {reasons.length > 0 && (
          <section className="section">
            <h2>{words.reasons}</h2>
            {reasons.map((part) => (
              <PartView key={part.id} part={part} />
            ))}
          </section>
        )}
        <section className="section">
          <div className="section-head">
            <h2>{words.timeline}</h2>
            <div className="segments" role="group" aria-label={words.timeline}>
              {GROUPS.map((each) => (
                <button key={each} type="button" aria-pressed={group === each} onClick={() => setGroup(each)}>
                  {words.filters[each]}
                </button>
              ))}
            </div>
          </div>
          {shown.length === 0 && <p className="quiet">{words.nothing}</p>}
          <ol className="audit">
            {shown.map((entry) => (
              <EntryLine key={entry.key} entry={entry} runId={run.run_id} />
            ))}
          </ol>
        </section>
      </div>
    </PartsContext>
  );
}
