"use client";

import { createContext, useContext } from "react";
import type { Artifact, SourceItem } from "@/api/model";

/** What parts of one run share: whose they are, what they cite, and what can be done from them. */
export interface PartsScene {
  runId: string;
  /** What the run is about, which the page says at its top. */
  title: string;
  artifacts: readonly Artifact[];
  sources: ReadonlyMap<string, SourceItem>;
  openSource: (mark: string) => void;
  /** Does the run again from a step; absent where that can't be. */
  replay?: ((path: readonly string[]) => void) | undefined;
}

const NOTHING: PartsScene = { runId: "", title: "", artifacts: [], sources: new Map(), openSource: () => undefined };

export const PartsContext = createContext<PartsScene>(NOTHING);
export const useScene = (): PartsScene => useContext(PartsContext);
