"use client";

import { useCallback, useState } from "react";
import { problemFrom, request, type Problem } from "@/api/client";
import type { components } from "@/api/schema";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Time } from "@/shell/Time";
import { QUESTIONS } from "./words";

type Schemas = components["schemas"];

/** What a research has searched for, found and decided, over all its questions; read when it is opened. */
export function Notes({ session }: { session: string }) {
  const words = useWords(QUESTIONS).notes;
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="aside" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.heading}</summary>
      <div className="aside-inside">
        <p className="quiet">{words.lead}</p>
        {isOpen && <Opened session={session} />}
      </div>
    </details>
  );
}

function Opened({ session }: { session: string }) {
  const words = useWords(QUESTIONS).notes;
  const ask = useCallback(
    (signal: AbortSignal) => request<Schemas["NoteList"]>("GET", `/research/notes?${new URLSearchParams({ session })}`, { signal }),
    [session],
  );
  const notes = useAnswer(ask);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [removed, setRemoved] = useState<number | null>(null);
  const remove = async () => {
    if (!window.confirm(words.removeSure)) return;
    try {
      const gone = await request<Schemas["Deleted"]>("DELETE", `/research/notes/${encodeURIComponent(session)}`);
      setRemoved(gone.deleted);
      setProblem(null);
      notes.again();
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };
  if (notes.problem) return <ProblemNote problem={notes.problem} retry={notes.again} />;
  if (notes.value === null) return <Loading />;
  return (
    <>
      <p role="status">{removed !== null && words.removed(removed)}</p>
      {problem && <ProblemNote problem={problem} />}
      {notes.value.notes.length === 0 && removed === null && <p className="quiet">{words.empty}</p>}
      <ol className="timeline">
        {notes.value.notes.map((note) => (
          <Line key={`${note.run_id} ${note.node_name} ${note.cycle_no}`} note={note} />
        ))}
      </ol>
      {notes.value.notes.length > 0 && (
        <button type="button" className="button small danger" onClick={() => void remove()}>
          <Icon name="trash" />
          {words.remove}
        </button>
      )}
    </>
  );
}

function Line({ note }: { note: Schemas["Note"] }) {
  const words = useWords(QUESTIONS).notes;
  const names: Record<string, string> = words.node;
  return (
    <li className="step" data-status="succeeded">
      <span className="dot" data-status="succeeded" />
      <div className="step-words">
        <p>
          <span className="step-title">{names[note.node_name] ?? note.node_name}</span>
          <span className="tag">{words.cycle(note.cycle_no)}</span>
          {note.retrieved_docs.length > 0 && <span className="tag">{words.found(note.retrieved_docs.length)}</span>}
          {note.time && (
            <span className="quiet">
              <Time of={note.time} />
            </span>
          )}
        </p>
        <ul className="step-detail">
          {note.queries.map((query) => (
            <li key={query}>{query}</li>
          ))}
          {note.decision_reason && <li>{note.decision_reason}</li>}
        </ul>
      </div>
    </li>
  );
}
