"use client";

import { useCallback } from "react";
import { listRuns } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { RunList } from "@/runs/RunList";

const MOST = 8;

/** The last runs of one workflow, where there are any. */
export function Recent({ workflow, title }: { workflow: string; title: string }) {
  const ask = useCallback((signal: AbortSignal) => listRuns({ workflow, limit: MOST }, signal), [workflow]);
  const { value } = useAnswer(ask);
  if (!value?.runs.length) return null;
  return (
    <section className="recent">
      <h2>{title}</h2>
      <RunList runs={value.runs} />
    </section>
  );
}
