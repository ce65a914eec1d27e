/** A plan's variables as fields of a form, and what was typed as values. */

import type { Json, JsonObject, PlanDetail, Requirement } from "@/api/model";
import { answerOf, asNumber, withoutBlankRows } from "@/forms/checking";
import type { Values } from "@/forms/useDraft";

const isStructured = (value: Json): boolean => value === null || typeof value === "object";

const isRow = (row: Json): boolean =>
  row !== null && typeof row === "object" && !Array.isArray(row) && Object.values(row).every((cell) => cell === null || typeof cell === "string" || typeof cell === "number");

/** Rows of texts and numbers, which a form has cell by cell. */
export const isTable = (value: Json): value is JsonObject[] => Array.isArray(value) && value.length > 0 && value.every(isRow);

function columnsOf(rows: readonly JsonObject[]): Requirement[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const cells = rows.map((row) => row[name] ?? null).filter((cell) => cell !== null);
    const isNumber = cells.length > 0 && cells.every((cell) => typeof cell === "number");
    return { id: name, label: name, required: false, type: isNumber ? "number" : "text" } as Requirement;
  });
}

function fieldOf(name: string, value: Json, structured: string): Requirement {
  const base = { id: name, label: name, required: false };
  if (typeof value === "boolean") return { ...base, type: "boolean", default: value } as Requirement;
  if (typeof value === "number") return { ...base, type: "number", default: value } as Requirement;
  if (typeof value === "string") return { ...base, type: "text", default: value } as Requirement;
  if (isTable(value)) return { ...base, type: "table", columns: columnsOf(value), default: value } as Requirement;
  return { ...base, type: "text", description: structured, default: JSON.stringify(value) } as Requirement;
}

export function fieldsOf(plan: PlanDetail, structured: string): Requirement[] {
  return Object.entries(plan.vars).map(([name, value]) => fieldOf(name, value, structured));
}

/** What differs from what the plan itself says; `faults` names what can't be read. */
export function changedValues(plan: PlanDetail, values: Values, say: (name: string) => string): { given: JsonObject; faults: Record<string, string> } {
  const given: JsonObject = {};
  const faults: Record<string, string> = {};
  for (const [name, original] of Object.entries(plan.vars)) {
    const typed = values[name];
    if (typed === undefined || typed === null || typed === "") continue;
    let value: Json = typed;
    let before: Json = original;
    if (isTable(original) && Array.isArray(typed)) {
      const field = fieldOf(name, original, "");
      const sent = (rows: Json): Json => answerOf([field], { [name]: rows, ...withoutBlankRows({ [name]: rows }) })[name] ?? [];
      [value, before] = [sent(typed), sent(original)];
    } else if (isStructured(original)) {
      try {
        value = JSON.parse(String(typed)) as Json;
      } catch {
        faults[name] = say(name);
        continue;
      }
    } else if (typeof original === "number") value = asNumber(typed);
    if (JSON.stringify(value) !== JSON.stringify(before)) given[name] = value;
  }
  return { given, faults };
}
