/** Other ways to draw the same numbers, where a Vega-Lite chart is plain enough for that. */

import type { JsonObject } from "@/api/model";

export type ChartKind = "original" | "bar" | "line" | "area" | "point";

const KINDS = ["bar", "line", "area", "point"] as const;

function markOf(spec: JsonObject): string {
  const mark = spec["mark"];
  if (typeof mark === "string") return mark;
  const type = (mark as JsonObject | undefined)?.["type"];
  return typeof type === "string" ? type : "";
}

/** One mark for each x and y; a share of a circle or a box of quartiles is nothing else. */
export function chartKinds(spec: JsonObject): ChartKind[] {
  const encoding = spec["encoding"] as JsonObject | undefined;
  const isPlain = encoding !== undefined && "x" in encoding && "y" in encoding;
  const mark = markOf(spec);
  if (!isPlain || !(KINDS as readonly string[]).includes(mark) || "bin" in (encoding["x"] as JsonObject)) return [];
  return ["original", ...KINDS.filter((kind) => kind !== mark)];
}

export function withKind(spec: JsonObject, kind: ChartKind): JsonObject {
  if (kind === "original") return spec;
  const { shape: _shape, ...encoding } = spec["encoding"] as JsonObject;
  return { ...spec, mark: { type: kind, tooltip: true, ...(kind === "area" ? { opacity: 0.7 } : {}) }, encoding };
}
