"use client";

import { useEffect, useSyncExternalStore } from "react";
import { listRuns } from "@/api/runs";
import type { RunSummary } from "@/api/model";

const MOST = 100;
const PAUSE_MS = 20_000;
const NONE: readonly RunSummary[] = [];

/** The runs that wait for a person: asked for now and then, and by whoever knows that there is one more. */
let waiting: readonly RunSummary[] | null = null;
const listeners = new Set<() => void>();

export async function lookForWaiting(): Promise<void> {
  try {
    waiting = (await listRuns({ status: "waiting", limit: MOST })).runs;
  } catch {
    waiting ??= NONE; // the page itself says that the server can't be reached
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useWaiting(): readonly RunSummary[] {
  return useSyncExternalStore(subscribe, () => waiting ?? NONE, () => NONE);
}

/** Whether anybody has looked yet: before, nobody knows whether something waits. */
export function useHasLooked(): boolean {
  return useSyncExternalStore(subscribe, () => waiting !== null, () => false);
}

export function useLookingForWaiting(): void {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && void lookForWaiting();
    look();
    const timer = setInterval(look, PAUSE_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
}
