"use client";

import { useCallback } from "react";
import type { GraphNode, Json, JsonObject, RecordedProblem } from "@/api/model";
import { readJournal } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { duration } from "@/shell/Time";
import { SHELL } from "@/shell/words";
import { useScene } from "./context";
import { PARTS } from "./words";

interface Known {
  /** Of the steps before it, by path. */
  inputs: Map<string, Json | undefined>;
  outputs: Json | undefined;
  problem: RecordedProblem | null;
  took: number | null;
}

/** What is recorded of one step: what the steps before it gave, what it gave, what went wrong, and the way to do it again. */
export function NodePanel({ node, before = [], onClose }: { node: GraphNode; before?: readonly GraphNode[]; onClose: () => void }) {
  const words = useWords(PARTS);
  const shell = useWords(SHELL);
  const language = useLanguage();
  const { runId, replay } = useScene();
  const path = (node.path ?? []).join("/");
  const status = node.status;
  const given = before.map((each) => (each.path ?? []).join("/")).join("\n");
  const ask = useCallback(() => recorded(runId, path, given.split("\n").filter(Boolean)), [runId, path, given, status]);
  const known = useAnswer(path && runId ? ask : null);
  return (
    <aside className="node-panel" aria-label={node.title}>
      <div className="panel-top">
        <h4>{node.title}</h4>
        <span className="tag" data-status={status}>
          {words.stepStatus[status ?? "pending"]}
        </span>
        <span className="spring" />
        <button type="button" className="plain" aria-label={shell.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {(!path || !runId) && <p className="quiet">{words.graph.nothing}</p>}
      {path && runId && known.value === null && !known.problem && <Loading />}
      {known.problem && <ProblemNote problem={known.problem} retry={known.again} />}
      {known.value?.problem && <ProblemNote problem={{ message: known.value.problem.message, hint: known.value.problem.hint ?? "" }} />}
      {known.value && (
        <>
          {known.value.took !== null && (
            <p className="quiet">
              {words.graph.took} {duration(known.value.took, language)}
            </p>
          )}
          {before.map((each) => (
            <Values key={each.id} title={words.graph.from(each.title)} value={known.value?.inputs.get((each.path ?? []).join("/"))} />
          ))}
          <Values title={words.graph.outputs} value={known.value.outputs} />
        </>
      )}
      {replay && path && (
        <button type="button" className="button small" onClick={() => replay(node.path ?? [])}>
          <Icon name="again" />
          {words.graph.again}
        </button>
      )}
      {node.detail && (
        <details className="small-details">
          <summary>{shell.details}</summary>
          <p>
            {words.graph.block}: <code>{node.detail}</code>
          </p>
        </details>
      )}
    </aside>
  );
}

async function recorded(runId: string, path: string, before: readonly string[]): Promise<Known> {
  const known: Known = { inputs: new Map(), outputs: undefined, problem: null, took: null };
  for (const event of await readJournal(runId)) {
    const at = event.path.join("/");
    const { payload } = event;
    if (before.includes(at) && payload.event === "node_complete") known.inputs.set(at, payload.outputs);
    if (at !== path) continue;
    if (payload.event === "node_complete") {
      known.outputs = payload.outputs;
      known.took = payload.duration_ms ?? null;
      known.problem = null;
    } else if (payload.event === "node_error") known.problem = payload.error;
  }
  return known;
}

const LONGEST = 160;

function Values({ title, value }: { title: string; value: Json | undefined }) {
  if (value === null || value === undefined) return null;
  const pairs = typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [[title, value] as const];
  return (
    <>
      <h5>{title}</h5>
      <dl className="facts">
        {pairs.map(([name, each]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{short(each)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function short(value: Json): string {
  const name = value !== null && typeof value === "object" ? (value as JsonObject)["name"] : undefined;
  const text = typeof name === "string" ? name : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
