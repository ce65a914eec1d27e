/** A plan's variables as fields of a form, and what was typed as values. */

import type { Json, JsonObject, PlanDetail, Requirement } from "@/api/model";
import { asNumber } from "@/forms/checking";
import type { Values } from "@/forms/useDraft";

const isStructured = (value: Json): boolean => value === null || typeof value === "object";

export function fieldsOf(plan: PlanDetail, structured: string): Requirement[] {
  return Object.entries(plan.vars).map(([name, value]) => {
    const base = { id: name, label: name, required: false };
    if (typeof value === "boolean") return { ...base, type: "boolean", default: value } as Requirement;
    if (typeof value === "number") return { ...base, type: "number", default: value } as Requirement;
    if (typeof value === "string") return { ...base, type: "text", default: value } as Requirement;
    return { ...base, type: "text", description: structured, default: JSON.stringify(value) } as Requirement;
  });
}

/** What differs from what the plan itself says; `faults` names what can't be read. */
export function changedValues(plan: PlanDetail, values: Values, say: (name: string) => string): { given: JsonObject; faults: Record<string, string> } {
  const given: JsonObject = {};
  const faults: Record<string, string> = {};
  for (const [name, original] of Object.entries(plan.vars)) {
    const typed = values[name];
    if (typed === undefined || typed === null || typed === "") continue;
    let value: Json = typed;
    if (isStructured(original)) {
      try {
        value = JSON.parse(String(typed)) as Json;
      } catch {
        faults[name] = say(name);
        continue;
      }
    } else if (typeof original === "number") value = asNumber(typed);
    if (JSON.stringify(value) !== JSON.stringify(original)) given[name] = value;
  }
  return { given, faults };
}
