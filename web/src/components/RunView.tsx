"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { artifactAddress } from "@/api/research";
import { useSpoken, workbenchAddress } from "@/preferences/language";
import { isFinal, type Research } from "@/research/fold";
import type { ListedResearch, Run } from "@/research/model";
import { useResearch, type Followed } from "@/research/useResearch";
import { useSpokenAloud } from "@/research/useSpokenAloud";
import { AskForm } from "./AskForm";
import { CitationPanel } from "./CitationPanel";
import { CopyButton } from "./CopyButton";
import { Icon } from "./Icon";
import { Notes } from "./Notes";
import { ProblemNote } from "./ProblemNote";
import { Report } from "./Report";
import { Steps } from "./Steps";
import { Time } from "./Time";

interface Props {
  runId: string;
  /** Questions of the same session as far as the history knows them, oldest first. */
  sameSession: (session: string) => readonly ListedResearch[];
  onOpen: (runId: string) => void;
  onEnded: () => void;
  onPanel: (open: boolean) => void;
}

export function RunView({ runId, sameSession, onOpen, onEnded, onPanel }: Props) {
  const { language, texts } = useSpoken();
  const followed = useResearch(runId);
  const { research, run, refusal } = followed;
  const over = isFinal(research.status);
  const [open, setOpen] = useState<number | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const opener = useRef<Element | null>(null);
  const said = useSpokenAloud(research);
  const citations = useMemo(() => research.result?.citations ?? [], [research.result]);
  const byNumber = useMemo(() => new Map(citations.map((each) => [each.id, each])), [citations]);

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (over) onEnded();
  }, [over, onEnded]);
  useEffect(() => {
    onPanel(open !== null);
    return () => onPanel(false);
  }, [open, onPanel]);

  const openCitation = useCallback((number: number) => {
    opener.current = document.activeElement;
    setOpen(number);
  }, []);
  const close = useCallback(() => {
    setOpen(null);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  }, []);

  if (refusal) return <ProblemNote problem={refusal} />;
  if (research.workflow && research.workflow !== "research") {
    return (
      <p className="notice">
        {texts.run.notResearch}{" "}
        <a href={workbenchAddress(`/run?run=${encodeURIComponent(runId)}`, language)}>{texts.run.openInWorkbench}</a>
      </p>
    );
  }
  const session = sameSession(research.session);
  const text = research.result?.report_md ?? research.written;
  return (
    <>
      <p className="aloud" role="status">
        {said}
      </p>
      <div className="run-head">
        <h1 ref={heading} tabIndex={-1}>
          {research.question || texts.loading}
        </h1>
        <RunFacts followed={followed} />
        {followed.connection === "lost" && (
          <p className="notice" role="status" data-tone="warning">
            {texts.run.lost}
          </p>
        )}
      </div>
      {session.length > 1 && (
        <nav className="session" aria-label={texts.run.session}>
          <ol>
            {session.map((each) => (
              <li key={each.runId}>
                <button
                  type="button"
                  className="link"
                  aria-current={each.runId === runId ? "page" : undefined}
                  onClick={() => onOpen(each.runId)}
                >
                  {each.question || texts.history.untitled}
                </button>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {research.status === "failed" && <Failure research={research} run={run} resume={followed.resume} />}
      {research.status === "cancelled" && <p className="notice">{texts.run.cancelled}</p>}
      <Steps research={research} />
      {text && (
        <article className="report card" aria-label={texts.report.heading} aria-busy={!over}>
          <ReportNotes research={research} />
          <Report text={text} writing={!over} citations={byNumber} open={open} onOpen={openCitation} />
          {over && research.result && <Taking runId={runId} research={research} />}
        </article>
      )}
      {over && research.session && (
        <>
          <AskForm session={research.session} collection={research.collection} onStarted={onOpen} />
          <Notes session={research.session} questions={new Map(session.map((each) => [each.runId, each.question]))} />
        </>
      )}
      {open !== null && (
        <CitationPanel runId={runId} citations={citations} number={open} onTurn={setOpen} onClose={close} />
      )}
    </>
  );
}

function RunFacts({ followed }: { followed: Followed }) {
  const { texts } = useSpoken();
  const { research, run, stopping, stop } = followed;
  const over = isFinal(research.status);
  const tokens = run ? run.usage.input_tokens + run.usage.output_tokens : 0;
  return (
    <div className="run-facts">
      <span className="status" data-status={research.status}>
        {texts.status[research.status]}
      </span>
      {research.collection && (
        <span>
          <span className="aloud">{texts.run.collection}: </span>
          {research.collection}
        </span>
      )}
      {research.engine && (
        <span>
          <span className="aloud">{texts.run.engine}: </span>
          {research.engine === "rules" ? texts.run.rules : research.engine}
        </span>
      )}
      {tokens > 0 && <span>{texts.run.tokens(tokens)}</span>}
      {research.startedAt && <Time at={research.startedAt} />}
      {!over && research.workflow && (
        <button type="button" className="button stop" disabled={stopping} onClick={stop}>
          <Icon name="stop" />
          {stopping ? texts.run.stopping : texts.run.stop}
        </button>
      )}
    </div>
  );
}

function Failure({ research, run, resume }: { research: Research; run: Run | null; resume: () => void }) {
  const texts = useSpoken().texts;
  const problem = run?.problem ?? research.problem;
  if (problem === null) return null;
  return (
    <>
      <ProblemNote problem={problem} />
      <p>
        <button type="button" className="button" onClick={resume}>
          {texts.run.resume}
        </button>
      </p>
    </>
  );
}

/** What the report itself says only at its end; that it is partial or empty it says at its top. */
function ReportNotes({ research }: { research: Research }) {
  const texts = useSpoken().texts;
  const result = research.result;
  if (result === null) return null;
  const notes: string[] = [];
  if (result.refused > 0) notes.push(texts.report.refused(result.refused));
  if (result.marked > 0) notes.push(texts.report.marked(result.marked));
  return notes.map((note) => (
    <p className="notice" data-tone="warning" key={note}>
      {note}
    </p>
  ));
}

function Taking({ runId, research }: { runId: string; research: Research }) {
  const texts = useSpoken().texts;
  const artifact = research.artifacts.at(-1);
  return (
    <div className="taking">
      {artifact && (
        <a className="button" href={artifactAddress(runId, artifact.artifact_id)} download={artifact.name}>
          <Icon name="download" />
          {texts.run.download}
        </a>
      )}
      <CopyButton text={research.result?.report_md ?? ""} />
    </div>
  );
}

