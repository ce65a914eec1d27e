/** What can be said of an answer before it is sent; the server checks all of it again. */

import type { Json, JsonObject, Requirement } from "@/api/model";
import { readDay } from "./days";
import type { FORMS } from "./words";
import type { Values } from "./useDraft";

type FormWords = (typeof FORMS)["ja"];

/** Whether a field is asked for, with what has been chosen elsewhere. */
export function isAsked(field: Requirement, values: Values): boolean {
  return !field.only_with || values[field.only_with.field] === field.only_with.value;
}

const isBlank = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === "string" && !value.trim()) || (Array.isArray(value) && value.length === 0);

export function faults(requirements: readonly Requirement[], values: Values, words: FormWords): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of requirements) {
    if (!isAsked(field, values)) continue;
    const value = values[field.id];
    const isNeeded = field.required || Boolean(field.only_with);
    if (isNeeded && field.type !== "boolean" && isBlank(value)) {
      const say = FILES.has(field.type) ? words.missingFile : field.type === "select" ? words.missingChoice : words.missing;
      found[field.id] = say(field.label);
    } else if (field.type === "number" && !isBlank(value) && asNumber(value) === null) {
      found[field.id] = words.notNumber(field.label);
    }
  }
  return found;
}

const FILES = new Set(["file", "files", "folder"]);

/** As amounts are typed in offices: １，０００ is a number. */
export function asNumber(value: Json | undefined): number | null {
  if (typeof value === "number") return value;
  const plain = String(value).normalize("NFKC").replace(/,(?=\d{3}(\D|$))/g, "").trim();
  const number = plain ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

export function answerOf(requirements: readonly Requirement[], values: Values): JsonObject {
  const answer: JsonObject = {};
  for (const field of requirements) {
    const value = values[field.id];
    if (!isAsked(field, values) || (isBlank(value) && field.type !== "boolean")) continue;
    answer[field.id] = sent(field, value);
  }
  return answer;
}

function sent(field: Requirement, value: Json | undefined): Json {
  if (field.type === "number") return asNumber(value);
  if (field.type === "boolean") return value === true;
  // The server reads more ways of writing a day than a page does.
  return field.type === "date" ? (readDay(String(value)) ?? (value as Json)) : (value as Json);
}
