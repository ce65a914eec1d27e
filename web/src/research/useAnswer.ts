"use client";

import { useCallback, useEffect, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";

export interface Asked<T> {
  value: T | null;
  problem: Problem | null;
  again(): void;
}

/** What a request answers; asked anew when `ask` changes, and the older answer is dropped. */
export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | null): Asked<T> {
  const [state, setState] = useState<{ value: T | null; problem: Problem | null }>({
    value: null,
    problem: null,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (ask === null) return;
    const request = new AbortController();
    ask(request.signal).then(
      (value) => setState({ value, problem: null }),
      (error: unknown) => {
        if (!request.signal.aborted) setState({ value: null, problem: problemFrom(error) });
      },
    );
    return () => request.abort();
  }, [ask, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, again };
}
