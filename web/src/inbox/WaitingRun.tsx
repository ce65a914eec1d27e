"use client";

import Link from "next/link";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Part, Run, RunSummary } from "@/api/model";
import { readParts, readRun } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { Due } from "@/forms/Circumstances";
import { QuestionForm } from "@/forms/QuestionForm";
import { PartsContext, type PartsScene } from "@/parts/context";
import { PartView } from "@/parts/Parts";
import { SourcePanel } from "@/parts/SourcePanel";
import { useWords } from "@/preferences/language";
import { RUNS } from "@/runs/words";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { addressOf, iconOf } from "@/shell/places";
import { Time } from "@/shell/Time";
import { INBOX } from "./words";

interface Props {
  summary: RunSummary;
  /** The first one's form is open: it is what one came for. */
  isFirst: boolean;
  /** From the top down: what comes later never pushes away what is being read. */
  isShown: boolean;
  onReady: (runId: string) => void;
  onAnswered: (run: Run) => void;
}

const NOTHING: readonly Part[] = [];

/** One run with what it asks: read once, and again when it was answered. */
export function WaitingRun({ summary, isFirst, isShown, onReady, onAnswered }: Props) {
  const words = useWords(INBOX);
  const runs = useWords(RUNS);
  const { run_id: runId, updated_at: at } = summary;
  const ask = useCallback(
    // `at` changes when it asks something else
    (signal: AbortSignal) => (at ? Promise.all([readRun(runId, signal), readParts(runId, signal)]) : Promise.reject()),
    [runId, at],
  );
  const { value, problem, again } = useAnswer(ask);
  const isReady = value != null || problem != null;
  useEffect(() => {
    if (isReady) onReady(runId);
  }, [isReady, onReady, runId]);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const [source, setSource] = useState<string | null>(null);
  const isOpen = chosen ?? (isFirst && summary.for_me !== false);
  const [run, parts] = value ?? [null, NOTHING];
  const sources = useMemo(() => parts.flatMap((part) => (part.kind === "sources" ? part.items : [])), [parts]);
  const scene = useMemo<PartsScene>(
    () => ({
      runId,
      title: summary.title,
      artifacts: run?.artifacts ?? [],
      sources: new Map(sources.map((each) => [each.mark, each])),
      openSource: setSource,
    }),
    [runId, summary.title, run, sources],
  );
  const first = run?.open_interactions[0];
  if (!isShown) return null;
  return (
    <li className="waiting" data-run={runId}>
      <div className="waiting-head">
        <Icon name={iconOf(summary.workflow)} />
        <h2>{summary.title || runs.untitled}</h2>
        {summary.warnings > 0 && (
          <span className="tag" data-tone="caution">
            {runs.warnings(summary.warnings)}
          </span>
        )}
        {summary.due_at && <Due at={summary.due_at} />}
        <span className="quiet" title={words.since}>
          <Time of={first?.opened_at ?? at} />
        </span>
        <Link className="plain" href={addressOf(summary)} prefetch={false}>
          {words.open}
          <Icon name="forward" />
        </Link>
      </div>
      {problem && <ProblemNote problem={problem} retry={again} />}
      {run && !isOpen && (
        <div className="waiting-line">
          <p>{first?.message}</p>
          <button type="button" className="button small" onClick={() => setChosen(true)}>
            {summary.for_me === false ? words.look : words.answer}
          </button>
        </div>
      )}
      {run && isOpen && (
        <PartsContext value={scene}>
          {run.open_interactions.map((interaction) => (
            <QuestionForm key={interaction.interaction_id} runId={runId} interaction={interaction} onAnswered={onAnswered}>
              {parts
                .filter((part) => part.interaction_id === interaction.interaction_id)
                .map((part) => (
                  <PartView key={part.id} part={part} />
                ))}
            </QuestionForm>
          ))}
          {source !== null && <SourcePanel sources={sources} mark={source} onTurn={setSource} onClose={() => setSource(null)} />}
        </PartsContext>
      )}
    </li>
  );
}
