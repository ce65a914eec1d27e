"use client";

import { memo, useCallback, useEffect, useRef, type ReactNode } from "react";
import type { Part, Run, RunSummary } from "@/api/model";
import { listRuns } from "@/api/runs";
import { startedIn } from "@/api/started";
import { useAnswer, type Answer } from "@/api/useAnswer";
import { useRun, type WatchedRun } from "@/api/useRun";
import { useWords } from "@/preferences/language";
import { RunActions, RunView } from "@/runs/RunView";
import { QUESTIONS } from "./words";

const MOST_TURNS = 100;

/** The runs of one conversation, the first first. */
export function useTurns(conversationId: string | null): Answer<RunSummary[]> {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const begun = startedIn(conversationId);
      if (begun) return [{ ...begun, warnings: begun.warnings.length, waits_for: [], for_me: true }];
      const page = await listRuns({ conversation_id: conversationId ?? "", limit: MOST_TURNS }, signal);
      return page.runs.toReversed();
    },
    [conversationId],
  );
  return useAnswer(conversationId === null ? null : ask);
}

interface Props {
  runs: readonly RunSummary[];
  without?: (part: Part) => boolean;
  /** What a page has to say of a turn beside its parts. */
  beside?: (watched: WatchedRun, isLast: boolean) => ReactNode;
  after?: (watched: WatchedRun, isLast: boolean) => ReactNode;
}

/** Questions and their answers, as a conversation is read; the newest comes into view. */
export function Turns({ runs, without, beside, after }: Props) {
  const last = useRef<HTMLLIElement>(null);
  const count = useRef(0);
  useEffect(() => {
    if (runs.length > 1 && count.current !== runs.length) last.current?.scrollIntoView({ block: "start" });
    count.current = runs.length;
  }, [runs.length]);
  return (
    <ol className="turns">
      {runs.map((run, at) => (
        <li key={run.run_id} id={run.run_id} ref={at === runs.length - 1 ? last : undefined}>
          <Turn runId={run.run_id} title={run.title} isLast={at === runs.length - 1} {...{ without, beside, after }} />
        </li>
      ))}
    </ol>
  );
}

interface TurnProps extends Omit<Props, "runs"> {
  runId: string;
  title: string;
  isLast: boolean;
}

const Turn = memo(function Turn({ runId, title, isLast, without, beside, after }: TurnProps) {
  const words = useWords(QUESTIONS);
  const watched = useRun(runId);
  return (
    <article className="turn">
      <h2 className="turn-question">
        <span className="aloud">{words.asked} </span>
        {questionOf(watched.run) || title}
      </h2>
      <RunView watched={watched} {...(without ? { without } : {})}>
        {beside?.(watched, isLast)}
      </RunView>
      {after?.(watched, isLast)}
      <div className="turn-actions">
        <RunActions watched={watched} />
      </div>
    </article>
  );
});

function questionOf(run: Run | null): string {
  const question = run?.input["question"];
  return typeof question === "string" ? question : "";
}
