"use client";

import { useCallback } from "react";
import { API, Failed, problemOf, type Problem } from "@/api/client";
import type { Json, TablePart } from "@/api/model";
import { runPath } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { isNumeric } from "./cells";

export interface Rows {
  rows: TablePart["rows"];
  isWhole: boolean;
  problem: Problem | null;
}

/** The rows of a table: those that the part has, or, where all are wanted, those of its file. */
export function useRows(part: TablePart, runId: string, wantsAll: boolean): Rows {
  const { file, columns } = part;
  const isCut = part.total_rows > part.rows.length;
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const response = await fetch(`${API}${runPath(runId)}/artifacts/${file?.artifact_id}`, { signal });
      if (!response.ok) throw new Failed(await problemOf(response));
      const [, ...records] = readCsv(await response.text());
      return records.map((record) => columns.map((column, at) => cellOf(record[at] ?? "", isNumeric(column))));
    },
    [runId, file, columns],
  );
  const { value, problem } = useAnswer(wantsAll && isCut && file ? ask : null);
  return { rows: (value as TablePart["rows"] | null) ?? part.rows, isWhole: !isCut || value !== null, problem };
}

function cellOf(text: string, isNumber: boolean): Json {
  if (text === "") return null;
  const number = isNumber ? Number(text.replaceAll(",", "")) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

/** As spreadsheets write it: quotation marks around what has commas or line breaks in it. */
export function readCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let cell = "";
  let isQuoted = false;
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  for (let at = 0; at < source.length; at += 1) {
    const letter = source[at] ?? "";
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (source[at + 1] === '"') {
        cell += letter;
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === "," || letter === "\n") {
      record.push(cell);
      cell = "";
      if (letter === "\n") {
        records.push(record);
        record = [];
      }
    } else if (letter !== "\r") cell += letter;
  }
  if (cell || record.length > 0) records.push([...record, cell]);
  return records;
}
