/** What the result of an analysis says beside its parts. */

import type { JsonObject, Run } from "@/api/model";

export interface Chip {
  role: string;
  label: string;
  text: string;
  step: number;
  path: string[];
}

export interface OfferedReading {
  text: string;
  specs: JsonObject[];
  unread: string[];
}

interface AnalysisResult {
  kind: "report" | "question" | "out_of_scope";
  reading?: Chip[];
  readings?: OfferedReading[];
  unread?: string[];
  specs: JsonObject[];
  suggestions: string[];
}

// A run's result is JSON to the API; the workflow's own model gives it this shape.
export function resultOf(run: Run | null): AnalysisResult | null {
  return (run?.result ?? null) as unknown as AnalysisResult | null;
}
