/** A run's journal as what a person looks for in it: steps, calls, questions and answers, files. */

import type { Artifact, Call, Event, Interaction, Json, JsonObject, RecordedProblem } from "@/api/model";

export type Group = "steps" | "model" | "people" | "files";

interface Common {
  key: string;
  time: string;
  group: Group | null;
}

export type Entry = Common &
  (
    | { kind: "start"; resumed: boolean }
    | { kind: "step"; title: string; took: number; outputs: Json; warnings: readonly RecordedProblem[]; iterations: number }
    | { kind: "skipped"; title: string; reason: string; condition: string }
    | { kind: "failed"; title: string; problem: RecordedProblem; retryIn: number | null; continued: boolean }
    | { kind: "call"; call: Call }
    | { kind: "asked"; interaction: Interaction }
    | { kind: "due"; overdue: boolean }
    | { kind: "answered"; by: string; answer: JsonObject; interaction: Interaction | undefined }
    | { kind: "file"; artifact: Artifact }
    | { kind: "ended"; status: "succeeded" | "failed" | "cancelled"; problem: RecordedProblem | null }
  );

const isTurn = (part: string): boolean => /^#\d+$/.test(part);

/** `titles`: of steps whose events don't name them, by path. */
export function entriesOf(events: readonly Event[], titles: ReadonlyMap<string, string>): Entry[] {
  const entries: Entry[] = [];
  const named = new Map(titles);
  const asked = new Map<string, Interaction>();
  const turns = new Map<string, number>();
  for (const { seq, time, path, payload } of events) {
    const at = path.join("/");
    const key = String(seq);
    const title = named.get(at) || path.filter((part) => !isTurn(part)).at(-1) || "";
    payload.calls?.forEach((call, number) => entries.push({ kind: "call", key: `${key}:${number}`, time, group: "model", call }));
    switch (payload.event) {
      case "run_start":
        entries.push({ kind: "start", key, time, group: null, resumed: payload.resumed ?? false });
        break;
      case "node_start":
        if (payload.title) named.set(at, payload.title);
        break;
      case "loop_iteration":
        turns.set(path.slice(0, -1).join("/"), payload.iteration + 1);
        break;
      case "node_complete":
        // What happens in turns of a loop is counted at the loop, not told line by line.
        // A step without a title is a part of one that has: nobody else speaks of it.
        if (path.some(isTurn) || !named.get(at)) break;
        entries.push({
          kind: "step", key, time, group: "steps", title, took: payload.duration_ms ?? 0,
          outputs: payload.outputs ?? null, warnings: payload.warnings ?? [], iterations: turns.get(at) ?? 0,
        });
        break;
      case "node_skipped":
        if (!path.some(isTurn)) entries.push({ kind: "skipped", key, time, group: "steps", title, reason: payload.reason, condition: payload.condition ?? "" });
        break;
      case "node_error":
        entries.push({
          kind: "failed", key, time, group: "steps", title, problem: payload.error,
          retryIn: payload.retry_in_ms ?? null, continued: payload.continued ?? false,
        });
        break;
      case "interaction_open":
        asked.set(payload.interaction.interaction_id, payload.interaction);
        entries.push({ kind: "asked", key, time, group: "people", interaction: payload.interaction });
        break;
      case "interaction_due":
        entries.push({ kind: "due", key, time, group: "people", overdue: payload.overdue });
        break;
      case "interaction_answered":
        entries.push({
          kind: "answered", key, time, group: "people", by: payload.by, answer: payload.answer,
          interaction: asked.get(payload.interaction_id),
        });
        break;
      case "artifact":
        entries.push({ kind: "file", key, time, group: "files", artifact: payload.artifact });
        break;
      case "run_complete":
        entries.push({ kind: "ended", key, time, group: null, status: payload.status, problem: payload.problem ?? null });
        break;
      default:
        break;
    }
  }
  return entries;
}
