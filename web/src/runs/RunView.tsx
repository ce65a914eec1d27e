"use client";

import { useRouter } from "next/navigation";
import { Suspense, useCallback, useMemo, useState, type ReactNode } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { isFinal, type Interaction, type Part, type ProgressPart, type SourceItem } from "@/api/model";
import { cancelRun, replayRun, REPORTS, reportAddress, resumeRun } from "@/api/runs";
import type { WatchedRun } from "@/api/useRun";
import { QuestionForm } from "@/forms/QuestionForm";
import { AsideView, PartView } from "@/parts/Parts";
import { PartsContext, type PartsScene } from "@/parts/context";
import { ProgressView } from "@/parts/ProgressView";
import { SourcePanel } from "@/parts/SourcePanel";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { addressOf } from "@/shell/places";
import { SHELL } from "@/shell/words";
import { RUNS } from "./words";

interface Props {
  watched: WatchedRun;
  /** Parts that the page itself draws in its own way. */
  without?: (part: Part) => boolean;
  /** What stands between the steps and the result. */
  children?: ReactNode;
  hasAsides?: boolean;
  /** Which of the open questions are shown now; all without it. */
  asks?: ((interaction: Interaction) => boolean) | undefined;
  aboveQuestions?: ReactNode;
}

const EMPTY: readonly SourceItem[] = [];

/** A run as it goes on: its steps in one place, what it asks, what it gives, what one may look up. */
export function RunView({ watched, without, children, hasAsides = true, asks, aboveQuestions }: Props) {
  const words = useWords(RUNS);
  const router = useRouter();
  const { run, runId, parts, status, refresh } = watched;
  const [open, setOpen] = useState<string | null>(null);
  const [failure, setFailure] = useState<Problem | null>(null);
  const sources = useMemo(() => parts.flatMap((part) => (part.kind === "sources" ? part.items : EMPTY)), [parts]);

  const replay = useCallback(
    (path: readonly string[]) => {
      replayRun(runId, path).then(
        (again) => router.push(addressOf(again)),
        (error: unknown) => setFailure(problemFrom(error)),
      );
    },
    [runId, router],
  );
  const isOver = status !== null && isFinal(status);
  const artifacts = run?.artifacts;
  const title = run?.title ?? "";
  const scene = useMemo<PartsScene>(
    () => ({
      runId,
      title,
      artifacts: artifacts ?? [],
      sources: new Map(sources.map((source) => [source.mark, source])),
      openSource: setOpen,
      replay: isOver ? replay : undefined,
    }),
    [runId, title, artifacts, sources, isOver, replay],
  );

  if (watched.problem) return <ProblemNote problem={watched.problem} retry={() => refresh()} />;
  // All at once: what comes piece by piece pushes the rest around.
  if (run === null || status === null) return <Loading />;
  const progress = parts.find((part): part is ProgressPart => part.kind === "progress");
  const shown = parts.filter((part) => part.kind !== "progress" && !without?.(part));
  const asked = new Set(run.open_interactions.map((each) => each.interaction_id));
  const answerable = isOver ? [] : run.open_interactions.filter((each) => asks?.(each) ?? true);
  const results = shown.filter((part) => !part.is_aside && !asked.has(part.interaction_id ?? ""));
  // Files that a run makes on its way are listed once it is over: a list that grows pushes the rest around.
  const asides = shown.filter((part) => part.is_aside && (isOver || part.kind !== "files"));
  return (
    <PartsContext value={scene}>
      <Suspense fallback={<Loading />}>
      <div className="run" data-status={status} data-run={runId} data-panel={open !== null || undefined}>
        {watched.isLost && (
          <p className="notice" role="status">
            {words.lost}
          </p>
        )}
        {progress ? <ProgressView part={progress} isOver={isOver} /> : !isOver && <Starting />}
        {failure && <ProblemNote problem={failure} />}
        {aboveQuestions}
        {answerable.map((interaction) => (
          <QuestionForm key={interaction.interaction_id} runId={runId} interaction={interaction} onAnswered={refresh}>
            {shown
              .filter((part) => part.interaction_id === interaction.interaction_id)
              .map((part) => (
                <PartView key={part.id} part={part} />
              ))}
          </QuestionForm>
        ))}
        {children}
        <div className="parts">
          {results.map((part) => (
            <PartView key={part.id} part={part} />
          ))}
        </div>
        {status === "cancelled" && <p className="notice">{words.cancelled}</p>}
        {hasAsides && asides.length > 0 && (
          <div className="asides">
            {asides.map((part) => (
              <AsideView key={part.id} part={part} />
            ))}
          </div>
        )}
        {hasAsides && status === "succeeded" && results.length > 0 && <TakenAlong runId={runId} />}
      </div>
      </Suspense>
      {open !== null && <SourcePanel sources={sources} mark={open} onTurn={setOpen} onClose={() => setOpen(null)} />}
    </PartsContext>
  );
}

/** The whole result as a document for those who do not come here. */
function TakenAlong({ runId }: { runId: string }) {
  const words = useWords(RUNS);
  return (
    <p className="run-reports">
      <span>{words.report}</span>
      {(Object.keys(REPORTS) as (keyof typeof REPORTS)[]).map((format) => (
        <a key={format} className="button small" href={reportAddress(runId, format)} download>
          <Icon name="download" />
          {REPORTS[format]}
        </a>
      ))}
    </p>
  );
}

function Starting() {
  const words = useWords(RUNS);
  return (
    <div className="progress">
      <p className="progress-head">
        <span className="dot" data-status="running" />
        {words.starting}
      </p>
    </div>
  );
}

/** Done with warnings looks otherwise than done. */
export function StatusTag({ status, warnings = 0 }: { status: string; warnings?: number | undefined }) {
  const words = useWords(SHELL);
  const runs = useWords(RUNS);
  return (
    <>
      <span className="status" data-status={status}>
        {words.status[status as keyof typeof words.status] ?? status}
      </span>
      {warnings > 0 && (
        <span className="tag" data-tone="caution">
          {runs.warnings(warnings)}
        </span>
      )}
    </>
  );
}

/** Stop what works, take up what failed. */
export function RunActions({ watched }: { watched: WatchedRun }) {
  const words = useWords(RUNS);
  const [isActing, setActing] = useState(false);
  const [failure, setFailure] = useState<Problem | null>(null);
  const { status, runId, refresh } = watched;
  const act = async (doing: (runId: string) => Promise<NonNullable<WatchedRun["run"]>>) => {
    setActing(true);
    setFailure(null);
    try {
      refresh(await doing(runId));
    } catch (error) {
      setFailure(problemFrom(error));
    } finally {
      setActing(false);
    }
  };
  if (status === null) return null;
  return (
    <>
      {!isFinal(status) && (
        <button type="button" className="button small" disabled={isActing} onClick={() => void act(cancelRun)}>
          <Icon name="stop" />
          {isActing ? words.stopping : words.stop}
        </button>
      )}
      {status === "failed" && (
        <button type="button" className="button small" disabled={isActing} onClick={() => void act(resumeRun)}>
          <Icon name="again" />
          {words.resume}
        </button>
      )}
      {failure && <ProblemNote problem={failure} />}
    </>
  );
}
