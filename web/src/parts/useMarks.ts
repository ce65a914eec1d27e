"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { keepDraft, readDraft } from "@/api/drafts";
import { problemFrom, type Problem } from "@/api/client";

export interface Mark {
  accepted: boolean;
  comment: string;
}

export type Marks = Readonly<Record<string, Mark>>;

const NONE: Mark = { accepted: false, comment: "" };
export const markAt = (marks: Marks, id: string): Mark => marks[id] ?? NONE;

/** What a person has checked and noted in a run, kept with it: deleted when the run is. */
export function useMarks(runId: string, partId: string): [Marks, (id: string, mark: Mark) => void, Problem | null] {
  const key = `run:${runId}::marks:${partId}`;
  const [marks, setMarks] = useState<Marks>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef<Marks>({});
  useEffect(() => {
    const stop = new AbortController();
    readDraft(key, stop.signal).then(
      (kept) => {
        latest.current = (kept ?? {}) as unknown as Marks;
        setMarks(latest.current);
      },
      (error: unknown) => stop.signal.aborted || setProblem(problemFrom(error)),
    );
    return () => stop.abort();
  }, [key]);
  const change = useCallback(
    (id: string, mark: Mark) => {
      latest.current = { ...latest.current, [id]: mark };
      setMarks(latest.current);
      keepDraft(key, latest.current as never).then(
        () => setProblem(null),
        (error: unknown) => setProblem(problemFrom(error)),
      );
    },
    [key],
  );
  return [marks, change, problem];
}
