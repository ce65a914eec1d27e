"use client";

import { useEffect, useRef } from "react";
import { parse, View, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import type { JsonObject } from "@/api/model";
import { useTheme, type Theme } from "@/preferences/theme";

const NARROWEST = 280;
const FONT = '"Hiragino Sans", "Noto Sans JP", "Noto Sans CJK JP", "Yu Gothic", Meiryo, sans-serif';
// After Okabe and Ito: told apart by those who do not see all colours, and by brightness.
const COLOURS: Record<Theme, string[]> = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5b4a9e", "#6e6e6e"],
  dark: ["#56b4e9", "#f0903c", "#2ec4a0", "#e39ac6", "#a6cee3", "#f0c244", "#a99be0", "#b0b0b0"],
};

function config(theme: Theme): JsonObject {
  const [ink, quiet, faint] = theme === "light" ? ["#1d2329", "#5b6570", "#e4e8ec"] : ["#e4e8ec", "#9ba6b1", "#2b3138"];
  const colours = COLOURS[theme];
  const first = colours[0] ?? "";
  const label = { labelColor: quiet, titleColor: quiet, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" };
  return {
    background: "transparent",
    font: FONT,
    padding: 4,
    view: { stroke: null },
    title: { anchor: "start", frame: "group", color: ink, subtitleColor: quiet, fontSize: 14, offset: 12 },
    axis: { ...label, gridColor: faint, domainColor: faint, tickColor: faint, labelLimit: 170 },
    legend: { ...label, labelColor: ink, labelLimit: 240 },
    header: { labelColor: ink, labelFontSize: 12 },
    text: { color: ink, fontSize: 11 },
    rule: { color: quiet },
    bar: { color: first },
    line: { color: first, strokeWidth: 2 },
    area: { color: first },
    point: { color: first, filled: true },
    range: { category: colours, ramp: { scheme: "cividis" }, heatmap: { scheme: "cividis" } },
  } as unknown as JsonObject;
}

/** Drawn by Vega without `eval`, as wide as there is room, with what one points at beside the pointer. */
export function Chart({ spec, description }: { spec: JsonObject; description: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let view: View | null = null;
    let width = 0;
    const draw = () => {
      const room = Math.max(NARROWEST, element.clientWidth);
      if (Math.abs(room - width) < 8) return;
      width = room;
      view?.finalize();
      // The part has a title of its own; what stands below it, such as conditions, is kept.
      const { title, $schema: _schema, ...rest } = spec as Record<string, unknown>;
      const below = (title as { subtitle?: string[] } | undefined)?.subtitle;
      const sized = rest["facet"] === undefined && rest["hconcat"] === undefined && rest["vconcat"] === undefined;
      const isRound = JSON.stringify(rest["layer"] ?? rest["mark"] ?? "").includes('"arc"');
      const whole = {
        ...rest,
        ...(below ? { title: { text: below, fontSize: 12, fontWeight: "normal" } } : {}),
        ...(sized && !isRound ? { width: room - 24, autosize: { type: "fit-x", contains: "padding" } } : {}),
        config: { ...config(theme), ...(rest["config"] as object | undefined) },
      };
      const compiled = compile(whole as unknown as TopLevelSpec).spec as Spec;
      view = new View(parse(compiled, undefined, { ast: true }), {
        expr: expressionInterpreter,
        renderer: "canvas",
        container: element,
        hover: true,
        tooltip: (_handler: unknown, event: MouseEvent, _item: unknown, value: unknown) => showTip(tip.current, element, event, value),
      } as ConstructorParameters<typeof View>[1]);
      void view.runAsync();
    };
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(element);
    return () => {
      watch.disconnect();
      view?.finalize();
    };
  }, [spec, theme]);
  return (
    <div className="chart-frame">
      <div ref={frame} className="chart" role="img" aria-label={description} />
      <div ref={tip} className="chart-tip" hidden />
    </div>
  );
}

function showTip(tip: HTMLDivElement | null, frame: HTMLElement, event: MouseEvent, value: unknown): void {
  if (tip === null) return;
  tip.hidden = value === null || value === undefined || value === "";
  if (tip.hidden) return;
  const lines = typeof value === "object" && value !== null ? Object.entries(value) : [["", value]];
  tip.replaceChildren(
    ...lines.map(([name, said]) => {
      const line = document.createElement("div");
      const label = document.createElement("span");
      label.textContent = String(name);
      const words = document.createElement("b");
      words.textContent = String(said);
      line.append(label, words);
      return line;
    }),
  );
  const place = frame.getBoundingClientRect();
  const left = Math.min(event.clientX - place.left + 14, place.width - tip.offsetWidth - 4);
  tip.style.transform = `translate(${Math.max(0, left)}px, ${event.clientY - place.top + 14}px)`;
}
