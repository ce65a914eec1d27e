/** Values that a plan's steps were given and gave, in a dry run or in a run up to one of them. */

import type { DryRun, Event, Json, JsonObject } from "@/api/model";

export interface StepValues {
  inputs: Readonly<Record<string, Json>>;
  outputs: Readonly<Record<string, Json>>;
}

/** By the key of the node. */
export type Samples = ReadonlyMap<string, StepValues>;

export const samplesOfDryRun = (report: DryRun): Samples =>
  new Map(report.nodes.map(({ node, inputs, outputs }) => [node, { inputs: inputs ?? {}, outputs: outputs ?? {} }]));

/** Of a node in a loop, what it gave in its last turn. */
export function samplesOfRun(journal: readonly Event[]): Samples {
  const found = new Map<string, StepValues>();
  for (const { path, payload } of journal) {
    if (payload.event !== "node_complete" || payload.outputs === null || typeof payload.outputs !== "object" || Array.isArray(payload.outputs)) continue;
    const key = path.filter((name) => !/^#\d+$/.test(name)).join("/");
    found.set(key, { inputs: {}, outputs: payload.outputs as JsonObject });
  }
  return found;
}
