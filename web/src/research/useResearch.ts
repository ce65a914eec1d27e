"use client";

import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { followRun, type RunEvent } from "@/api/events";
import { cancelRun, readRun, resumeRun } from "@/api/research";
import { useSpoken } from "@/preferences/language";
import { fold, isFinal, NOTHING_YET, type Research } from "./fold";
import type { Run } from "./model";

export type Connection = "connecting" | "live" | "lost" | "over";

export interface Followed {
  research: Research;
  /** The run as the API tells it once it has ended: its problem in the page's language, its usage. */
  run: Run | null;
  connection: Connection;
  /** Why the run can't be shown at all. */
  refusal: Problem | null;
  stopping: boolean;
  stop(): void;
  resume(): void;
}

type Change = { events: RunEvent[] } | "begin";

const TRY_AGAIN_MS = 2000;

function change(research: Research, made: Change): Research {
  return made === "begin" ? NOTHING_YET : made.events.reduce(fold, research);
}

/** A run from its first event on; after a reload or a lost connection it is put together anew. */
export function useResearch(runId: string): Followed {
  const { language } = useSpoken();
  const [research, dispatch] = useReducer(change, NOTHING_YET);
  const [run, setRun] = useState<Run | null>(null);
  const [connection, setConnection] = useState<Connection>("connecting");
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [stopping, setStopping] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const lastSeq = useRef(0);
  lastSeq.current = research.lastSeq;

  useEffect(() => {
    dispatch("begin");
    setConnection("connecting");
    setRefusal(null);
    setStopping(false);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopFollowing = followRun(runId, {
      onEvents: (events) => dispatch({ events }),
      onOpen: () => setConnection("live"),
      onLost: () => setConnection((now) => (now === "over" ? now : "lost")),
      onRefused: () => {
        setConnection((now) => (now === "over" ? now : "lost"));
        readRun(runId).then(
          (told) => {
            if (!isFinal(told.status) || told.last_seq > lastSeq.current) {
              timer = setTimeout(() => setAttempt((count) => count + 1), TRY_AGAIN_MS);
            }
          },
          (error: unknown) => {
            const problem = problemFrom(error);
            if (problem.status > 0) setRefusal(problem);
            else timer = setTimeout(() => setAttempt((count) => count + 1), TRY_AGAIN_MS);
          },
        );
      },
    });
    return () => {
      clearTimeout(timer);
      stopFollowing();
    };
  }, [runId, attempt]);

  const ended = isFinal(research.status);
  useEffect(() => {
    setRun(null);
    if (!ended) return;
    const request = new AbortController();
    readRun(runId, request.signal).then(
      (told) => {
        setRun(told);
        if (isFinal(told.status)) setConnection("over");
      },
      () => setConnection("over"), // what the events told is shown all the same
    );
    return () => request.abort();
  }, [runId, ended, language]);

  const stop = useCallback(() => {
    setStopping(true);
    // If it ended meanwhile, its last event says so and the button goes away.
    cancelRun(runId).catch(() => setStopping(false));
  }, [runId]);

  const resume = useCallback(() => {
    resumeRun(runId).then(
      () => setAttempt((count) => count + 1),
      (error: unknown) => setRefusal(problemFrom(error)),
    );
  }, [runId]);

  return { research, run, connection, refusal, stopping, stop, resume };
}
