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

export const isOverdue = (due: string | null | undefined): boolean => Boolean(due) && Date.parse(due ?? "") < Date.now();

/** Those first that I am to answer, and of them what is due first; then what has waited longest. */
export function inOrder(runs: readonly RunSummary[]): RunSummary[] {
  const key = (run: RunSummary): string => `${run.for_me === false ? 1 : 0}${run.due_at ? `0${run.due_at}` : `1${run.updated_at}`}`;
  return runs.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** What waits for me; what waits for others is in the inbox, behind it. */
export function useMine(): readonly RunSummary[] {
  return useWaiting().filter((run) => run.for_me !== false);
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
