"use client";

import { useEffect } from "react";
import type { GraphPart, Part, Run } from "@/api/model";
import { readJournal } from "@/api/runs";
import { isAtWork, useRun } from "@/api/useRun";
import { useWords } from "@/preferences/language";
import { RunActions, RunView, StatusTag } from "@/runs/RunView";
import { Icon } from "@/shell/Icon";
import { SHELL } from "@/shell/words";
import { samplesOfRun, type Samples } from "./samples";
import { STUDIO } from "./words";

interface Props {
  runId: string;
  title: string;
  /** With what its steps gave, whenever it stops. */
  onStop: (run: Run, samples: Samples) => void;
  onFresh: () => void;
  onClose: () => void;
}

const isGraph = (part: Part): part is GraphPart => part.kind === "graph";

/** A run up to a node, below the graph whose lines show its values: what it asks, and what came out. */
export default function Trial({ runId, title, onStop, onFresh, onClose }: Props) {
  const words = useWords(STUDIO);
  const shell = useWords(SHELL);
  const watched = useRun(runId);
  const { run, status } = watched;
  const stopped = run && run.status === status && !isAtWork(status) ? run : null;
  const seq = stopped?.last_seq;
  useEffect(() => {
    if (stopped === null) return;
    const stop = new AbortController();
    readJournal(runId, stop.signal).then(
      (journal) => stop.signal.aborted || onStop(stopped, samplesOfRun(journal)),
      () => undefined, // the run itself is shown, with what is wrong
    );
    return () => stop.abort();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each stop of the run
  }, [runId, status, seq]);
  return (
    <section className="section studio-trial" aria-label={words.trialTitle(title)}>
      <div className="section-head">
        <h2>{words.trialTitle(title)}</h2>
        {status && <StatusTag status={status} warnings={run?.warnings.length} />}
        <span className="spring" />
        <RunActions watched={watched} />
        <button type="button" className="button small" onClick={onFresh}>
          <Icon name="again" />
          {words.trialFresh}
        </button>
        <button type="button" className="plain" aria-label={shell.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p className="quiet">{words.trialHint}</p>
      <RunView watched={watched} without={isGraph} hasAsides={false} />
    </section>
  );
}
