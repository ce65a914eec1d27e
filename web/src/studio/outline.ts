/** The outline of a generated plan as sentences that a person can change. */

import type { Json, JsonObject, Run } from "@/api/model";

export interface OutlineStep {
  title: string;
  who: string;
  /** The words that it was made of. */
  says: string;
}

export interface Made {
  text: string;
  outline: JsonObject;
  sentences: readonly Sentence[];
  /** Steps that are made of no sentence: the form at the beginning. */
  others: readonly OutlineStep[];
}

export interface Sentence {
  says: string;
  /** As it was; empty for a new one. */
  before: string;
  makes: readonly OutlineStep[];
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Null for a run that has made none. */
export function madeBy(run: Run): Made | null {
  const result = run.result as JsonObject | null;
  const outline = result?.["outline"] as JsonObject | undefined;
  if (!result || !outline) return null;
  const steps = (outline["steps"] as JsonObject[]).map((step) => ({ title: textOf(step["title"]), who: textOf(step["who"]), says: textOf(step["says"]) }));
  const all = [...new Set(steps.map((step) => step.says))].filter(Boolean);
  return {
    text: textOf(result["text"]),
    outline,
    sentences: all.map((says) => ({ says, before: says, makes: steps.filter((step) => step.says === says) })),
    others: steps.filter((step) => !step.says),
  };
}

/** As the next run takes it: steps of a sentence that is gone are gone, those of a changed one are made anew. */
export function outlineOf(made: Made, sentences: readonly Sentence[]): JsonObject {
  const steps = made.outline["steps"] as JsonObject[];
  const wanted = sentences.filter((each) => each.says.trim());
  const kept = wanted.flatMap(({ says, before }): JsonObject[] => {
    const same = says === before ? steps.filter((step) => step["says"] === before) : [];
    return same.length > 0 ? same : [{ title: says.trim(), says: says.trim() }];
  });
  return { ...made.outline, steps: [...steps.filter((step) => !step["says"]), ...kept], open_points: [] };
}
