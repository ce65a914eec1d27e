"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { listResearch } from "@/api/research";
import type { ListedResearch } from "./model";

export interface Listed {
  items: readonly ListedResearch[] | null;
  problem: Problem | null;
  hasMore: boolean;
  more(): void;
  again(): void;
  refresh(): void;
  ofSession(session: string): readonly ListedResearch[];
}

interface Loaded {
  items: ListedResearch[];
  next: string | null;
}

/** Researches of this person, latest first; refreshed when one begins or ends. */
export function useHistory(): Listed {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef(0);

  const load = useCallback(async (before: string | null) => {
    const request = ++latest.current;
    try {
      const page = await listResearch(before);
      if (request !== latest.current) return;
      setProblem(null);
      setLoaded((known) => ({
        items: before === null ? page.items : [...(known?.items ?? []), ...page.items],
        next: page.next,
      }));
    } catch (error) {
      if (request === latest.current) setProblem(problemFrom(error));
    }
  }, []);

  const refresh = useCallback(() => void load(null), [load]);
  const next = loaded?.next ?? null;
  const more = useCallback(() => void load(next), [load, next]);
  useEffect(refresh, [refresh]);

  const items = loaded?.items ?? null;
  const ofSession = useCallback(
    (session: string) => (items ?? []).filter((each) => each.session === session).reverse(),
    [items],
  );
  return useMemo(
    () => ({ items, problem, hasMore: next !== null, more, again: refresh, refresh, ofSession }),
    [items, problem, next, more, refresh, ofSession],
  );
}
