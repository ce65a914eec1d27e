"use client";

import { startTransition, useCallback, useEffect, useReducer, useRef } from "react";
import { useLanguage } from "@/preferences/language";
import { problemFrom, type Problem } from "./client";
import { isFinal, type Part, type PartsUpdate, type Run, type Status } from "./model";
import { readRun } from "./runs";
import { outgrown, startedRun } from "./started";
import { followParts } from "./stream";

export interface WatchedRun {
  runId: string;
  /** With its title, input and open questions; null until it has come. */
  run: Run | null;
  status: Status | null;
  parts: readonly Part[];
  /** Why it can't be shown. */
  problem: Problem | null;
  isLost: boolean;
  /** Reads the run again: after an answer, a cancel, a resume. */
  refresh: (run?: Run) => void;
}

interface State {
  run: Run | null;
  status: Status | null;
  parts: readonly Part[];
  problem: Problem | null;
  isLost: boolean;
}

type Action =
  | { type: "begin"; runId: string | null }
  | { type: "run"; run: Run }
  | { type: "update"; update: PartsUpdate }
  | { type: "lost"; isLost: boolean }
  | { type: "failed"; problem: Problem };

const NOTHING: State = { run: null, status: null, parts: [], problem: null, isLost: false };

/** Of a run that was started here, what the answer to that has told. */
function beginning(runId: string | null): State {
  const run = startedRun(runId);
  return run === null ? NOTHING : { ...NOTHING, run, status: run.status };
}

function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "begin":
      return beginning(action.runId);
    case "run":
      return { ...state, run: action.run, status: state.status ?? action.run.status, problem: null };
    case "update":
      return { ...state, status: action.update.status, parts: folded(state.parts, action.update), isLost: false };
    case "lost":
      return state.isLost === action.isLost ? state : { ...state, isLost: action.isLost };
    case "failed":
      return { ...state, problem: action.problem };
  }
}

/** What is the same stays the same object, so that nothing of it is drawn again. */
export function folded(before: readonly Part[], update: PartsUpdate): readonly Part[] {
  const known = new Map(before.map((part) => [part.id, part]));
  for (const part of update.parts) {
    const old = known.get(part.id);
    if (old === undefined || JSON.stringify(old) !== JSON.stringify(part)) known.set(part.id, part);
  }
  return update.ids.flatMap((id) => known.get(id) ?? []);
}

/** A run as it goes on, from wherever it is; the same for a reload, a second tab, a restarted server. */
export function useRun(runId: string | null): WatchedRun {
  const language = useLanguage();
  const [state, dispatch] = useReducer(reduce, runId, beginning);
  const [round, again] = useReducer((count: number) => count + 1, 0);
  const shown = useRef(runId);

  useEffect(() => {
    if (runId === null) {
      dispatch({ type: "begin", runId });
      return;
    }
    if (shown.current !== runId) dispatch({ type: "begin", runId });
    shown.current = runId;
    const started = startedRun(runId);
    const stop = new AbortController();
    let status = started?.status ?? null;
    let isReading = false;
    let known = started?.last_seq ?? -1; // the last event that the run which was read takes account of
    let wanted = 0;
    // The end is shown with the run that has its result: what stands above the parts comes with them.
    let end: PartsUpdate | null = null;
    const show = (run: Run) => {
      const update = known >= wanted ? end : null;
      if (update === null) {
        dispatch({ type: "run", run });
        return;
      }
      end = null;
      startTransition(() => {
        dispatch({ type: "run", run });
        dispatch({ type: "update", update });
      });
    };
    const read = () => {
      if (isReading) return;
      isReading = true;
      outgrown(runId);
      readRun(runId, stop.signal)
        .then(
          (run) => {
            known = run.last_seq;
            status = run.status;
            show(run);
          },
          (error: unknown) => {
            if (!stop.signal.aborted) dispatch({ type: "failed", problem: problemFrom(error) });
          },
        )
        .finally(() => {
          isReading = false;
          if (known >= 0 && known < wanted && !stop.signal.aborted) read();
        });
    };
    if (started === null) read();
    const stopFollowing = followParts(runId, {
      onUpdate: (update) => {
        // What is there stays until all of the new can be drawn.
        if (isFinal(update.status) && known < update.seq) end = update;
        else startTransition(() => dispatch({ type: "update", update }));
        // Questions and results stand in the run itself.
        if (isFinal(update.status) || update.status === "waiting" || status === "waiting") {
          wanted = update.seq;
          if (known < wanted) read();
        }
        status = update.status;
      },
      onOpen: () => dispatch({ type: "lost", isLost: false }),
      onLost: () => dispatch({ type: "lost", isLost: true }),
      onRefused: (problem) => dispatch({ type: "failed", problem }),
    });
    return () => {
      stop.abort();
      stopFollowing();
    };
  }, [runId, language, round]);

  const refresh = useCallback((run?: Run) => {
    if (run !== undefined) dispatch({ type: "run", run });
    again();
  }, []);

  const isOf = shown.current === runId;
  return { ...(isOf ? state : NOTHING), runId: runId ?? "", refresh };
}

export const isAtWork = (status: Status | null): boolean => status !== null && !isFinal(status) && status !== "waiting";
