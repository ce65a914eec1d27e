import type { JsonObject, Run } from "@/api/model";
import { replayCorrected, resumeCorrected, startRun } from "@/api/runs";

/** A run up to a node; with one of before, what that has finished and nothing has changed stands. */
export async function startTrial(text: string, until: string, before: Run | null): Promise<Run> {
  const input: JsonObject = { source: { plan: { text } }, until };
  if (before === null) return startRun({ workflow: "plan", input });
  const goesOn = before.status === "succeeded" || before.status === "cancelled" ? replayCorrected : resumeCorrected;
  return goesOn(before.run_id, { input });
}
