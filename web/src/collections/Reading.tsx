"use client";

import { useEffect, useId, useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { indexFiles } from "@/api/collections";
import type { FileRef, Outcome } from "@/api/model";
import { FilePicker } from "@/forms/FilePicker";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { COLLECTIONS } from "./words";

interface Props {
  collection: string;
  label: string;
  /** Without a name there is nothing to read into. */
  onRefused?: () => void;
  onRead: (count: number) => void;
  /** Files that were dropped elsewhere for this. */
  given?: readonly File[];
}

const NONE: readonly File[] = [];

const ACCEPT = ".pdf,.docx,.xlsx,.pptx,.csv,.md,.html,.txt,.eml,.json,.zip";
const IN: ReadonlySet<Outcome["status"]> = new Set(["added", "replaced", "unchanged"]);

/** A reading that has begun and not ended, as this tab keeps it over a reload. */
interface Unfinished {
  collection: string;
  files: readonly FileRef[];
}

const UNFINISHED = "sanbo.reading";

function unfinished(): Unfinished | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(UNFINISHED) ?? "null") as Unfinished | null;
  } catch {
    return null;
  }
}

function keep(reading: Unfinished | null): void {
  try {
    if (reading === null) window.sessionStorage.removeItem(UNFINISHED);
    else window.sessionStorage.setItem(UNFINISHED, JSON.stringify(reading));
  } catch {
    // A browser that keeps nothing tells nothing after a reload.
  }
}

/** Files on their way into a collection: sent, read one by one, and what became of each. */
export function Reading({ collection, label, onRefused, onRead, given = NONE }: Props) {
  const words = useWords(COLLECTIONS);
  const id = useId();
  const [files, setFiles] = useState<readonly FileRef[]>([]);
  const [isSending, setSending] = useState(false);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [total, setTotal] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [note, setNote] = useState("");
  const [brokenOff, setBrokenOff] = useState("");
  const work = useRef<AbortController | null>(null);
  const isReading = total > 0;
  useEffect(() => {
    const left = unfinished();
    if (left !== null && (collection === "" || collection === left.collection)) {
      setFiles(left.files);
      setBrokenOff(left.collection);
    }
    return () => work.current?.abort();
    // Looked for once, as the page opens.
  }, []);

  const choose = (chosen: readonly FileRef[]) => {
    if (chosen.length === 0) {
      keep(null);
      setBrokenOff("");
    }
    setFiles(chosen);
  };

  const read = async () => {
    setProblem(null);
    setNote("");
    setBrokenOff("");
    if (!collection) {
      onRefused?.();
      return;
    }
    if (files.length === 0) {
      setNote(words.filesMissing);
      return;
    }
    const stop = new AbortController();
    work.current = stop;
    const seen: Outcome[] = [];
    setOutcomes([]);
    setTotal(files.length);
    keep({ collection, files });
    try {
      await indexFiles(
        collection,
        files,
        (outcome) => {
          seen.push(outcome);
          setOutcomes([...seen]);
        },
        stop.signal,
      );
      keep(null);
      setFiles([]);
    } catch (error) {
      if (stop.signal.aborted) setNote(words.stopped);
      else setProblem(problemFrom(error));
    } finally {
      setTotal(0);
      onRead(seen.filter((outcome) => IN.has(outcome.status)).length);
    }
  };

  return (
    <div className="section">
      <FilePicker id={id} label={words.files} files={files} onFiles={choose} onBusy={setSending} accept={ACCEPT} several given={given} />
      {problem && <ProblemNote problem={problem} retry={() => void read()} />}
      {(note || brokenOff) && (
        <p className="field-problem" role="alert">
          {note || words.unfinished(brokenOff)}
        </p>
      )}
      <div className="form-actions">
        <button type="button" className="button primary" disabled={isReading || isSending} onClick={() => void read()}>
          <Icon name="upload" />
          {label}
        </button>
        {isReading && (
          <>
            <progress max={total} value={Math.min(outcomes.length, total)} aria-label={words.reading(outcomes.length, total)} />
            <span className="quiet" aria-live="polite">
              {words.reading(outcomes.length, total)}
            </span>
            <button
              type="button"
              className="button small"
              onClick={() => {
                keep(null);
                work.current?.abort();
              }}
            >
              {words.stop}
            </button>
          </>
        )}
      </div>
      {outcomes.length > 0 && <Outcomes outcomes={outcomes} />}
    </div>
  );
}

function Outcomes({ outcomes }: { outcomes: readonly Outcome[] }) {
  const words = useWords(COLLECTIONS);
  return (
    <section aria-label={words.result}>
      <ul className="outcomes">
        {outcomes.map((outcome, at) => (
          <li key={at}>
            <span className="tag" data-tone={outcome.status === "failed" ? "bad" : IN.has(outcome.status) ? "good" : undefined}>
              {words.status[outcome.status]}
            </span>
            <span className="outcome-words">
              <span>{outcome.name}</span>
              {outcome.problem && (
                <span className="quiet">
                  {outcome.problem.message} {outcome.problem.hint}
                </span>
              )}
              {outcome.warnings.map((warning, number) => (
                <span key={number} className="quiet">
                  {warning.message}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
