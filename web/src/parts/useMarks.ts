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
  const isRead = useRef(false);
  const keep = useCallback(
    () =>
      keepDraft(key, latest.current as never).then(
        () => setProblem(null),
        (error: unknown) => setProblem(problemFrom(error)),
      ),
    [key],
  );
  useEffect(() => {
    const stop = new AbortController();
    latest.current = {};
    isRead.current = false;
    readDraft(key, stop.signal).then(
      (kept) => {
        const own = latest.current; // made before those that were kept had come: both count
        latest.current = { ...(kept as unknown as Marks | null), ...own };
        isRead.current = true;
        setMarks(latest.current);
        if (Object.keys(own).length > 0) void keep();
      },
      (error: unknown) => stop.signal.aborted || setProblem(problemFrom(error)),
    );
    return () => stop.abort();
  }, [key, keep]);
  const change = useCallback(
    (id: string, mark: Mark) => {
      latest.current = { ...latest.current, [id]: mark };
      setMarks(latest.current);
      if (isRead.current) void keep();
    },
    [keep],
  );
  return [marks, change, problem];
}
