/** Cells of a table as people read them, sort them and take them along. */

import type { Json, TablePart } from "@/api/model";
import type { Language } from "@/preferences/language";

type Column = TablePart["columns"][number];
export type Show = (cell: Json | undefined) => string;

export const isNumeric = (column: Column): boolean => column.kind === "number" || column.kind === "share";

export function shower(column: Column, language: Language, yes: string, no: string): Show {
  const digits = column.decimals ?? undefined;
  const style = column.kind === "share" ? "percent" : "decimal";
  const format = new Intl.NumberFormat(language, {
    style,
    minimumFractionDigits: digits ?? 0,
    maximumFractionDigits: digits ?? (column.kind === "share" ? 1 : 6),
  });
  return (cell) => {
    if (cell === null || cell === undefined) return "";
    if (typeof cell === "boolean") return cell ? yes : no;
    if (typeof cell === "number" && isNumeric(column)) return format.format(cell);
    return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  };
}

export const heading = (column: Column): string =>
  column.unit && !column.name.includes(column.unit) ? `${column.name}（${column.unit}）` : column.name;

const collator = new Intl.Collator("ja", { numeric: true });

/** Empty cells last, whichever way. */
export function compareCells(one: Json | undefined, other: Json | undefined): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return collator.compare(String(one), String(other));
}

export const isEmpty = (cell: Json | undefined): boolean => cell === null || cell === undefined || cell === "";

type Rows = readonly (readonly Json[])[];

/** For the clipboard: spreadsheets take columns apart by tabs. */
export function asTabs(columns: readonly Column[], rows: Rows): string {
  const clean = (cell: Json | undefined): string => raw(cell).replace(/[\t\r\n]+/g, " ");
  return [columns.map(heading), ...rows].map((row) => row.map(clean).join("\t")).join("\n");
}

/** With a mark at the start, by which Excel knows UTF-8. */
export function asCsv(columns: readonly Column[], rows: Rows): string {
  const quoted = (cell: Json | undefined): string => {
    const text = raw(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\uFEFF${[columns.map(heading), ...rows].map((row) => row.map(quoted).join(",")).join("\r\n")}\r\n`;
}

/** A text that a spreadsheet would take for a formula is marked as a text. */
function raw(cell: Json | undefined): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") return JSON.stringify(cell);
  const text = String(cell);
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

/** A name that says what is in the file, without what disks refuse. */
export function fileName(title: string, ending: string): string {
  const plain = title.replace(/[\\/:*?"<>|\x00-\x1f]/g, "_").trim().slice(0, 80);
  return `${plain || "table"}.${ending}`;
}

export function saveAs(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
