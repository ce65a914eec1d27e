/** Where each page is. The run, conversation, plan or collection that a page shows is in its query. */

import type { RunSummary } from "@/api/model";
import type { IconName } from "./Icon";

export type PlaceName =
  | "home"
  | "analysis"
  | "research"
  | "ask"
  | "compare"
  | "plans"
  | "triggers"
  | "inbox"
  | "collections"
  | "runs"
  | "calibration"
  | "settings";

interface Place {
  name: PlaceName;
  path: string;
  icon: IconName;
  group: "top" | "work" | "materials";
}

export const PLACES: readonly Place[] = [
  { name: "home", path: "/", icon: "home", group: "top" },
  { name: "inbox", path: "/inbox", icon: "inbox", group: "top" },
  { name: "analysis", path: "/analysis", icon: "chart", group: "work" },
  { name: "research", path: "/research", icon: "search", group: "work" },
  { name: "ask", path: "/ask", icon: "answer", group: "work" },
  { name: "compare", path: "/compare", icon: "compare", group: "work" },
  { name: "plans", path: "/plans", icon: "plan", group: "work" },
  { name: "triggers", path: "/triggers", icon: "clock", group: "work" },
  { name: "collections", path: "/collections", icon: "books", group: "materials" },
  { name: "runs", path: "/runs", icon: "list", group: "materials" },
  { name: "calibration", path: "/calibration", icon: "tune", group: "materials" },
  { name: "settings", path: "/settings", icon: "settings", group: "materials" },
];

/** The page of each workflow that has one of its own; others are shown by `/run`. */
const OF_WORKFLOW: Readonly<Record<string, PlaceName>> = {
  analysis: "analysis",
  research: "research",
  grace: "ask",
  comparison: "compare",
  plan: "plans",
};

export const placeOf = (workflow: string): PlaceName | null => OF_WORKFLOW[workflow] ?? null;

export function iconOf(workflow: string): IconName {
  const name = placeOf(workflow);
  return PLACES.find((place) => place.name === name)?.icon ?? "play";
}

/** Conversations are read as a whole; a research or a comparison by itself. */
export function addressOf(run: Pick<RunSummary, "run_id" | "workflow" | "conversation_id">): string {
  const place = placeOf(run.workflow);
  if (place === "analysis" || place === "ask") {
    return `/${place}?${new URLSearchParams({ conversation: run.conversation_id })}#${run.run_id}`;
  }
  return `/${place ?? "run"}?${new URLSearchParams({ run: run.run_id })}`;
}
