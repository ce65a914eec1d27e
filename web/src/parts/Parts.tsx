"use client";

import { lazy, memo, type ReactNode } from "react";
import type { Part } from "@/api/model";
import { FactsView } from "./FactsView";
import { FilesView } from "./FilesView";
import { ProgressView } from "./ProgressView";
import { ScoreView } from "./ScoreView";
import { SourcesView } from "./SourcesView";
import { TextView } from "./TextView";
import { TroubleView } from "./TroubleView";

// What is large comes when a run has one. `RunView` waits for it, so that parts appear together.
const TableView = lazy(() => import("./TableView").then((module) => ({ default: module.TableView })));
const FigureView = lazy(() => import("./FigureView").then((module) => ({ default: module.FigureView })));
const ChangesView = lazy(() => import("./ChangesView").then((module) => ({ default: module.ChangesView })));
const GraphView = lazy(() => import("./GraphView").then((module) => ({ default: module.GraphView })));

/** One part, drawn by its kind; nothing here knows a workflow. */
export const PartView = memo(function PartView({ part }: { part: Part }) {
  return (
    <section className="part" data-part={part.kind} data-id={part.id}>
      {part.title && part.kind !== "progress" && <h3 className="part-title">{part.title}</h3>}
      {drawn(part)}
    </section>
  );
});

function drawn(part: Part): ReactNode {
  switch (part.kind) {
    case "text":
      return <TextView part={part} />;
    case "table":
      return <TableView part={part} />;
    case "figure":
      return <FigureView part={part} />;
    case "sources":
      return <SourcesView part={part} />;
    case "score":
      return <ScoreView part={part} />;
    case "changes":
      return <ChangesView part={part} />;
    case "graph":
      return <GraphView part={part} />;
    case "files":
      return <FilesView part={part} />;
    case "facts":
      return <FactsView part={part} />;
    case "problem":
      return <TroubleView part={part} />;
    case "progress":
      return <ProgressView part={part} isOver />;
  }
}

/** What one may look up, folded. */
export const AsideView = memo(function AsideView({ part }: { part: Part }) {
  return (
    <details className="aside" data-part={part.kind} data-id={part.id}>
      <summary>{part.title || part.id}</summary>
      <div className="aside-inside">{drawn(part)}</div>
    </details>
  );
});
