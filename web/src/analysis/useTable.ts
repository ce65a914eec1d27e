"use client";

import { useCallback, useState } from "react";
import { request } from "@/api/client";
import type { FileRef, TablePreview } from "@/api/model";
import { useAnswer, type Answer } from "@/api/useAnswer";

export interface ChosenTable {
  file: FileRef | null;
  sheet: string;
  /** What is not made ready when the table is read. */
  asWritten: readonly string[];
}

export const NO_TABLE: ChosenTable = { file: null, sheet: "", asWritten: [] };

/** What is in a file, as it will be read. */
export function usePreview({ file, sheet, asWritten }: ChosenTable): Answer<TablePreview> {
  const written = asWritten.join(",");
  const ask = useCallback(
    (signal: AbortSignal) =>
      request<TablePreview>("POST", "/analysis/preview", {
        body: { file, sheet, as_written: written ? written.split(",") : [] },
        signal,
      }),
    [file, sheet, written],
  );
  return useAnswer(file === null ? null : ask);
}

export function useChosenTable(): [ChosenTable, (change: Partial<ChosenTable>) => void] {
  const [table, setTable] = useState(NO_TABLE);
  const change = useCallback((changed: Partial<ChosenTable>) => setTable((before) => ({ ...before, ...changed })), []);
  return [table, change];
}
