/** Values as an office worker reads them: names of files, yes and no, no braces. */

import type { Json, JsonObject, Requirement } from "@/api/model";

const LONGEST = 400;

/** `yes`, `no`: how truth is told in the language of the page. */
export function readable(value: Json | undefined, yes: string, no: string): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? yes : no;
  if (Array.isArray(value)) return value.map((each) => readable(each, yes, no)).join("、");
  if (typeof value === "object") {
    const { name, text, file_id: file } = value as JsonObject;
    if (typeof name === "string" && (file !== undefined || Object.keys(value).length <= 4)) return name;
    if (typeof text === "string") return short(text);
    return Object.entries(value)
      .map(([key, each]) => `${key}：${readable(each as Json, yes, no)}`)
      .join("、")
      .slice(0, LONGEST);
  }
  return short(String(value));
}

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

export interface Labelled {
  id: string;
  label: string;
  value: Json;
}

/** Whether a person has written or chosen it: a structure that is no file was put together for machines. */
function isPlain(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  return value === null || typeof value !== "object" || typeof (value as JsonObject)["file_id"] === "string";
}

/** What was given, by the labels of the form that asked for it; what no form names is left out. */
export function labelled(given: JsonObject, fields: readonly Requirement[]): Labelled[] {
  return fields.flatMap(({ id, label, secret }) => {
    const value = given[id];
    if (value === undefined || value === null || value === "" || secret || !isPlain(value)) return [];
    return [{ id, label, value }];
  });
}
