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

/** Where it is asked for at all. */
export const isRequired = (field: Requirement): boolean => field.required || Boolean(field.only_with);

const isBlank = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === "string" && !value.trim()) || (Array.isArray(value) && value.every(isBlankRow));

const isBlankRow = (row: Json): boolean =>
  row !== null && typeof row === "object" && !Array.isArray(row) && Object.values(row).every((cell) => cell === false || isBlank(cell));

/** Without rows that nobody has filled in, so that what the server says of a row is said of the same one here. */
export function withoutBlankRows(values: Values): Record<string, Json> {
  const tables = Object.entries(values).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]) && entry[1].some(isBlankRow));
  return Object.fromEntries(tables.map(([id, rows]) => [id, rows.filter((row) => !isBlankRow(row))]));
}

export function faults(requirements: readonly Requirement[], values: Values, words: FormWords): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of requirements) {
    if (!isAsked(field, values)) continue;
    const value = values[field.id];
    const isNeeded = isRequired(field);
    if (isNeeded && field.type !== "boolean" && isBlank(value)) {
      const say = FILES.has(field.type) ? words.missingFile : field.type === "select" ? words.missingChoice : words.missing;
      found[field.id] = say(field.label);
    } else if (field.type === "table" && Array.isArray(value)) {
      Object.assign(found, faultsOfRows(field, value as JsonObject[], words));
    } else if (field.type === "number" && !isBlank(value) && asNumber(value) === null) {
      found[field.id] = words.notNumber(field.label);
    }
  }
  return found;
}

function faultsOfRows(field: Requirement, rows: readonly JsonObject[], words: FormWords): Record<string, string> {
  const found = rows.flatMap((row, at) =>
    Object.entries(faults((field.columns ?? []).map((column) => ({ ...column, required: column.required && column.type !== "boolean" })), row, words)).map(([column, text]) => [
      `${field.id}.${at + 1}.${column}`,
      text,
    ]),
  );
  return Object.fromEntries(found);
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
  if (field.type === "table") return (value as JsonObject[]).map((row) => sentRow(field, row));
  // The server reads more ways of writing a day than a page does.
  return field.type === "date" ? (readDay(String(value)) ?? (value as Json)) : (value as Json);
}

/** What can't be read goes as it is: the server says of the cell what is wrong with it. */
function sentRow(field: Requirement, row: JsonObject): JsonObject {
  const cells = (field.columns ?? []).map((column) => {
    const cell = row[column.id] ?? null;
    return [column.id, isBlank(cell) ? (column.type === "boolean" ? false : null) : (sent(column, cell) ?? cell)];
  });
  return Object.fromEntries(cells) as JsonObject;
}
