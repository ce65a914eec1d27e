"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useLanguage } from "@/preferences/language";
import { problemFrom, type Problem } from "./client";

export interface Answer<T> {
  value: T | null;
  problem: Problem | null;
  /** Asks again; what is there stays until the new answer has come. */
  again: () => void;
}

/** What the server says, asked for anew when `ask` or the language changes; `ask` null asks nothing. */
export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | null): Answer<T> {
  const language = useLanguage();
  const [answer, setAnswer] = useState<{ value: T | null; problem: Problem | null; of: unknown }>({
    value: null,
    problem: null,
    of: null,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (ask === null) return;
    const stop = new AbortController();
    ask(stop.signal).then(
      (value) => stop.signal.aborted || setAnswer({ value, problem: null, of: ask }),
      (error: unknown) =>
        stop.signal.aborted ||
        setAnswer((before) => ({
          value: before.of === ask ? before.value : null,
          problem: problemFrom(error),
          of: ask,
        })),
    );
    return () => stop.abort();
  }, [ask, language, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  const isCurrent = answer.of === ask;
  return { value: isCurrent ? answer.value : null, problem: isCurrent ? answer.problem : null, again };
}
