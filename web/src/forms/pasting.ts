/** What a spreadsheet puts on the clipboard: tabs between cells, a line a row, quotes around what holds either. */

import type { Json, JsonObject, Requirement } from "@/api/model";

function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/y;
  while (cell.lastIndex < text.length || rows.at(-1)?.length === 0) {
    const found = cell.exec(text);
    if (found === null) break;
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === "") break;
    if (found[3] !== "\t") {
      if (cell.lastIndex >= text.length) break;
      rows.push([]);
    }
  }
  return rows;
}

/** Rows by column id, the first cell into the column at `from`; headings are left out, and their order followed. */
export function pasted(text: string, columns: readonly Requirement[], from: number): JsonObject[] {
  const lines = cellsOf(text);
  const named = (lines[0] ?? []).map((cell) => columns.find(({ id, label }) => [id, label].includes(cell.trim())));
  const hasHeadings = lines.length > 1 && named.every((column) => column !== undefined);
  const targets = hasHeadings ? named : columns.slice(from);
  return lines
    .slice(hasHeadings ? 1 : 0)
    .map((line) => Object.fromEntries(line.flatMap((cell, at) => (targets[at] ? [[targets[at].id, read(targets[at], cell)]] : []))));
}

/** A choice by what it is called; the rest is read where it is checked. */
function read(column: Requirement, cell: string): Json {
  const text = cell.trim();
  if (column.type === "select") return (column.options ?? []).find(({ value, label }) => [label, String(value)].includes(text))?.value ?? (text || null);
  if (column.type === "boolean") return /^(true|yes|はい|○|〇|✓|1)$/i.test(text);
  return text || null;
}
