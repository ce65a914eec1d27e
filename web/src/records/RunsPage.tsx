"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useDeferredValue, useState } from "react";
import type { RunSummary, Status } from "@/api/model";
import { deleteRun, listRuns, listWorkflows, type Wanted } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { StatusTag } from "@/runs/RunView";
import { RUNS } from "@/runs/words";
import { useParameter } from "@/shell/address";
import { Icon } from "@/shell/Icon";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { addressOf, iconOf } from "@/shell/places";
import { SearchField } from "@/shell/SearchField";
import { Time } from "@/shell/Time";
import { lookForWaiting } from "@/shell/waiting";
import { SHELL } from "@/shell/words";
import { auditAddress, pairAddress } from "./addresses";
import { RECORDS } from "./words";

const STATUSES: readonly Status[] = ["running", "waiting", "succeeded", "failed", "cancelled"];
const PAGE = 50;
const MOST = 200;

/** All runs, found by their titles, narrowed, opened, compared and deleted. */
export function RunsPage() {
  const words = useWords(RECORDS);
  const shell = useWords(SHELL);
  const router = useRouter();
  const [asked, setAsked] = useParameter("q");
  const [workflow, setWorkflow] = useParameter("workflow");
  const [status, setStatus] = useParameter("status");
  const containing = useDeferredValue(asked ?? "");
  const [limit, setLimit] = useState(PAGE);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [told, setTold] = useState("");
  const ask = useCallback(
    (signal: AbortSignal) => {
      const wanted: Wanted = { limit };
      if (containing) wanted.containing = containing;
      if (workflow) wanted.workflow = workflow;
      if (status) wanted.status = status as Status;
      return listRuns(wanted, signal);
    },
    [containing, workflow, status, limit],
  );
  const { value, problem, again } = useAnswer(ask);
  const [last, setLast] = useState<readonly RunSummary[] | null>(null);
  if (value && value.runs !== last) setLast(value.runs);
  // What is there stays until the new list has come.
  const runs = value?.runs ?? last;
  const ids = runs?.map((run) => run.run_id) ?? [];
  const marked = ids.filter((id) => chosen.has(id));

  const toggle = (id: string) =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const removeAll = async () => {
    if (!window.confirm(words.removeSure(marked.length))) return;
    const done = await Promise.allSettled(marked.map(deleteRun));
    const failed = done.filter((each) => each.status === "rejected").length;
    setTold([words.removed(marked.length - failed), failed > 0 ? words.notRemoved(failed) : ""].join(" "));
    setChosen(new Set());
    again();
    void lookForWaiting();
  };
  return (
    <Page title={shell.runs} lead={words.lead}>
      <div className="section">
        <div className="filters">
          <SearchField label={words.search} value={asked ?? ""} onChange={(next) => setAsked(next || null, true)} />
          <WorkflowChoice value={workflow} onChange={(next) => setWorkflow(next, true)} />
          <label className="choice">
            <span className="aloud">{words.status}</span>
            <select className="input" value={status ?? ""} onChange={(event) => setStatus(event.target.value || null, true)}>
              <option value="">{words.allOf(words.status)}</option>
              {STATUSES.map((each) => (
                <option key={each} value={each}>
                  {shell.status[each]}
                </option>
              ))}
            </select>
          </label>
        </div>
        <div className="bulk">
          <label className="check">
            <input
              type="checkbox"
              checked={ids.length > 0 && marked.length === ids.length}
              onChange={(event) => setChosen(new Set(event.target.checked ? ids : []))}
            />
            <span className="quiet" aria-live="polite">
              {marked.length > 0 ? words.chosen(marked.length) : words.chooseAll}
            </span>
          </label>
          <span className="spring" />
          {told && (
            <span className="quiet" role="status">
              {told}
            </span>
          )}
          <button
            type="button"
            className="button small"
            disabled={marked.length !== 2}
            title={words.compareHint}
            onClick={() => router.push(pairAddress(marked[1] ?? "", marked[0] ?? ""))}
          >
            <Icon name="compare" />
            {words.compare}
          </button>
          <button type="button" className="button small danger" disabled={marked.length === 0} onClick={() => void removeAll()}>
            <Icon name="trash" />
            {words.remove}
          </button>
        </div>
        {problem && <ProblemNote problem={problem} retry={again} />}
        {runs === null && !problem && <Loading />}
        {runs?.length === 0 && <Empty title={containing || workflow || status ? words.noneFound : words.none} />}
        <ul className="records">
          {runs?.map((run) => (
            <Row key={run.run_id} run={run} isChosen={chosen.has(run.run_id)} onToggle={() => toggle(run.run_id)} />
          ))}
        </ul>
        {value?.next && limit < MOST && (
          <button type="button" className="button" onClick={() => setLimit(Math.min(MOST, limit + PAGE))}>
            {words.more}
          </button>
        )}
      </div>
    </Page>
  );
}

function WorkflowChoice({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const words = useWords(RECORDS);
  const { value: workflows } = useAnswer(listWorkflows);
  return (
    <label className="choice">
      <span className="aloud">{words.workflow}</span>
      <select className="input" value={value ?? ""} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">{words.allOf(words.workflow)}</option>
        {workflows?.map((workflow) => (
          <option key={workflow.name} value={workflow.name}>
            {workflow.title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A click anywhere in it opens the run; the box and the record have places of their own. */
function Row({ run, isChosen, onToggle }: { run: RunSummary; isChosen: boolean; onToggle: () => void }) {
  const words = useWords(RECORDS);
  const runs = useWords(RUNS);
  const title = run.title || runs.untitled;
  return (
    <li className="record" data-run={run.run_id}>
      <input type="checkbox" checked={isChosen} aria-label={words.choose(title)} onChange={onToggle} />
      <Icon name={iconOf(run.workflow)} />
      <Link className="record-title" href={addressOf(run)} prefetch={false}>
        {title}
      </Link>
      <StatusTag status={run.status} warnings={run.warnings} />
      <span className="quiet">
        <Time of={run.created_at} />
      </span>
      <Link className="plain" href={auditAddress(run.run_id)} prefetch={false} aria-label={words.recordOf(title)}>
        <Icon name="list" />
        <span className="record-word">{words.record}</span>
      </Link>
    </li>
  );
}
