"use client";

import { useCallback } from "react";
import { API, Failed, problemOf } from "@/api/client";
import type { components } from "@/api/schema";
import type { GraphNode, Json, JsonObject, RecordedProblem } from "@/api/model";
import { runPath } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { duration } from "@/shell/Time";
import { SHELL } from "@/shell/words";
import { useScene } from "./context";
import { PARTS } from "./words";

type Event = components["schemas"]["Event"];

interface Known {
  outputs: Json | undefined;
  problem: RecordedProblem | null;
  took: number | null;
}

/** What is recorded of one step: what it gave, what went wrong, and the way to do it again. */
export function NodePanel({ node, onClose }: { node: GraphNode; onClose: () => void }) {
  const words = useWords(PARTS);
  const shell = useWords(SHELL);
  const language = useLanguage();
  const { runId, replay } = useScene();
  const path = (node.path ?? []).join("/");
  const status = node.status;
  const ask = useCallback(() => recorded(runId, path), [runId, path, status]);
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
      {!path && <p className="quiet">{words.graph.nothing}</p>}
      {path && known.value === null && !known.problem && <Loading />}
      {known.problem && <ProblemNote problem={known.problem} retry={known.again} />}
      {known.value?.problem && <ProblemNote problem={{ message: known.value.problem.message, hint: known.value.problem.hint ?? "" }} />}
      {known.value && (
        <>
          {known.value.took !== null && (
            <p className="quiet">
              {words.graph.took} {duration(known.value.took, language)}
            </p>
          )}
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

async function recorded(runId: string, path: string): Promise<Known> {
  const response = await fetch(`${API}${runPath(runId)}/journal`);
  if (!response.ok) throw new Failed(await problemOf(response));
  const known: Known = { outputs: undefined, problem: null, took: null };
  for (const line of (await response.text()).split("\n")) {
    if (!line) continue;
    const event = JSON.parse(line) as Event;
    if (event.path.join("/") !== path) continue;
    if (event.payload.event === "node_complete") {
      known.outputs = event.payload.outputs;
      known.took = event.payload.duration_ms ?? null;
      known.problem = null;
    } else if (event.payload.event === "node_error") known.problem = event.payload.error;
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
