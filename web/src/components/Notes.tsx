"use client";

import { useCallback, useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { deleteNotes, listNotes } from "@/api/research";
import { useSpoken, useTexts } from "@/preferences/language";
import type { Note } from "@/research/model";
import { useAnswer } from "@/research/useAnswer";
import { Confirm } from "./Confirm";
import { Icon } from "./Icon";
import { ProblemNote } from "./ProblemNote";
import { Time } from "./Time";

interface Props {
  session: string;
  /** By run, as far as they are known. */
  questions: ReadonlyMap<string, string>;
}

/** The audit trail of a session, read when it is opened, and its deletion. */
export function Notes({ session, questions }: Props) {
  const texts = useTexts();
  const [opened, setOpened] = useState(false);
  return (
    <details className="notes" onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        <h2>{texts.notes.heading}</h2>
      </summary>
      <p className="quiet">{texts.notes.lead}</p>
      {opened && <Timeline session={session} questions={questions} />}
    </details>
  );
}

function Timeline({ session, questions }: Props) {
  const texts = useTexts();
  const notes = useAnswer(useCallback((signal: AbortSignal) => listNotes(session, signal), [session]));
  const [asking, setAsking] = useState(false);
  const [removed, setRemoved] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const told = useRef<HTMLParagraphElement>(null);

  const remove = async () => {
    try {
      setRemoved((await deleteNotes(session)).deleted);
      setProblem(null);
      notes.again();
      told.current?.focus();
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };

  if (notes.problem) return <ProblemNote problem={notes.problem} retry={notes.again} />;
  if (notes.value === null) return <p className="working">{texts.loading}</p>;
  return (
    <>
      <p role="status" ref={told} tabIndex={-1}>
        {removed !== null && texts.notes.removed(removed)}
      </p>
      {problem && <ProblemNote problem={problem} />}
      {notes.value.notes.length === 0 ? (
        removed === null && <p className="quiet">{texts.notes.empty}</p>
      ) : (
        <>
          {byRun(notes.value.notes).map(([runId, ofRun]) => (
            <section key={runId}>
              {questions.has(runId) && <h3 className="note-question">{questions.get(runId)}</h3>}
              <ol className="timeline">
                {ofRun.map((note) => (
                  <NoteLine key={`${note.node_name} ${note.cycle_no}`} note={note} />
                ))}
              </ol>
            </section>
          ))}
          <button type="button" className="button small" ref={button} onClick={() => setAsking(true)}>
            <Icon name="trash" />
            {texts.notes.remove}
          </button>
        </>
      )}
      {asking && (
        <Confirm
          title={texts.notes.removeTitle}
          text={texts.notes.removeText}
          action={texts.notes.remove}
          onConfirm={() => void remove()}
          onClose={() => {
            setAsking(false);
            button.current?.focus();
          }}
        />
      )}
    </>
  );
}

function byRun(notes: readonly Note[]): [string, Note[]][] {
  const groups = new Map<string, Note[]>();
  for (const note of notes) groups.set(note.run_id, [...(groups.get(note.run_id) ?? []), note]);
  return [...groups];
}

function NoteLine({ note }: { note: Note }) {
  const { texts } = useSpoken();
  const names: Record<string, string> = texts.notes.node;
  return (
    <li>
      <p className="note-head">
        <strong>{names[note.node_name] ?? note.node_name}</strong>
        <span className="quiet">{texts.notes.cycle(note.cycle_no)}</span>
        {note.time && <Time at={note.time} seconds />}
      </p>
      {note.queries.length > 0 && (
        <ul className="words">
          {note.queries.map((query) => (
            <li key={query}>{query}</li>
          ))}
        </ul>
      )}
      {note.retrieved_docs.length > 0 && (
        <details className="note-documents">
          <summary>{texts.notes.found(note.retrieved_docs.length)}</summary>
          <ul className="plain-list">
            {note.retrieved_docs.map((each) => (
              <li key={each.chunk_id}>
                {each.document} <span className="quiet">{texts.steps.relevance(Math.round(each.relevance * 100))}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {note.decision_reason && <p>{note.decision_reason}</p>}
      {note.final_report && <p className="quiet">{texts.notes.characters([...note.final_report].length)}</p>}
    </li>
  );
}
