/** What a research has come to, as a fold over its events; pure. */

import type { RunEvent } from "@/api/events";
import type { AnswerStep, Artifact, DecideStep, Problem, ResearchResult, RetrieveStep, Status } from "./model";

export type NodeName = "retrieve" | "decide" | "answer";

export interface Cycle {
  number: number;
  retrieve: RetrieveStep | null;
  decide: DecideStep | null;
}

export interface Research {
  workflow: string;
  question: string;
  collection: string;
  session: string;
  engine: string;
  status: Status;
  startedAt: string;
  cycles: readonly Cycle[];
  /** The step that is at work. */
  active: NodeName | null;
  /** The report as it is being written. */
  written: string;
  answer: AnswerStep | null;
  artifacts: readonly Artifact[];
  result: ResearchResult | null;
  problem: Problem | null;
  lastSeq: number;
}

export const NOTHING_YET: Research = {
  workflow: "",
  question: "",
  collection: "",
  session: "",
  engine: "",
  status: "queued",
  startedAt: "",
  cycles: [],
  active: null,
  written: "",
  answer: null,
  artifacts: [],
  result: null,
  problem: null,
  lastSeq: 0,
};

export const isFinal = (status: Status): boolean =>
  status === "succeeded" || status === "failed" || status === "cancelled";

export function fold(before: Research, event: RunEvent): Research {
  if (event.seq !== null && event.seq <= before.lastSeq) return before;
  const research = event.seq === null ? before : { ...before, lastSeq: event.seq };
  const payload = event.payload;
  const node = nodeName(event.path);
  switch (payload.event) {
    case "run_start":
      return {
        ...research,
        workflow: payload.workflow,
        question: words(payload.input["question"]),
        collection: words(payload.input["collection"]),
        session: payload.conversation_id,
        engine: [payload.engine.provider, payload.engine.model].filter(Boolean).join(" / "),
        status: "running",
        startedAt: research.startedAt || event.time,
        problem: null,
      };
    case "node_start":
      return node === null
        ? research
        : { ...research, active: node, written: node === "answer" ? "" : research.written };
    case "node_complete":
      return completed({ ...research, active: null }, node, payload.outputs);
    case "node_error":
    case "node_skipped":
      return { ...research, active: null };
    case "text_delta":
      if (node !== "answer") return research;
      return { ...research, written: payload.so_far ? payload.text : research.written + payload.text };
    case "artifact":
      return { ...research, artifacts: [...research.artifacts, payload.artifact] };
    case "run_complete":
      return {
        ...research,
        status: payload.status,
        active: null,
        // A run's result is JSON to the API; the workflow's own model gives it this shape.
        result: (payload.result ?? null) as ResearchResult | null,
        problem: payload.problem ?? null,
      };
    default:
      return research;
  }
}

function completed(research: Research, node: NodeName | null, outputs: unknown): Research {
  if (node === null || typeof outputs !== "object" || outputs === null) return research;
  switch (node) {
    case "retrieve": {
      const retrieve = outputs as RetrieveStep;
      return { ...research, cycles: withCycle(research.cycles, retrieve.cycle, { retrieve }) };
    }
    case "decide": {
      const decide = outputs as DecideStep;
      return { ...research, cycles: withCycle(research.cycles, decide.cycle, { decide }) };
    }
    case "answer":
      return { ...research, answer: outputs as AnswerStep };
  }
}

function withCycle(cycles: readonly Cycle[], number: number, part: Partial<Cycle>): Cycle[] {
  const known = cycles.find((cycle) => cycle.number === number);
  const changed: Cycle = { ...(known ?? { number, retrieve: null, decide: null }), ...part };
  return [...cycles.filter((cycle) => cycle.number !== number), changed].sort(
    (one, other) => one.number - other.number,
  );
}

function nodeName(path: readonly string[]): NodeName | null {
  const name = path.at(-1);
  return name === "retrieve" || name === "decide" || name === "answer" ? name : null;
}

function words(value: unknown): string {
  return typeof value === "string" ? value : "";
}
