"use client";

import { useId, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { JsonObject, Requirement, Run } from "@/api/model";
import { startRun } from "@/api/runs";
import { GrowingText } from "@/forms/GrowingText";
import { useDraft } from "@/forms/useDraft";
import { useWords } from "@/preferences/language";
import { QUESTIONS } from "@/questions/words";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import type { ChosenTable } from "./useTable";
import { ANALYSIS } from "./words";

export const WORKFLOW = "analysis";

const FIELDS = [{ id: "question", type: "text", label: "", required: true }] as unknown as Requirement[];

export interface Starting {
  ask: (question: string, specs?: readonly JsonObject[]) => Promise<boolean>;
  problem: Problem | null;
  isStarting: boolean;
}

/** Asks a question of the table, or of the one that the conversation is about. */
export function useAsking(table: ChosenTable | null, conversationId: string | undefined, onStarted: (run: Run) => void): Starting {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isStarting, setStarting] = useState(false);
  const ask = async (question: string, specs: readonly JsonObject[] = []) => {
    setStarting(true);
    setProblem(null);
    try {
      const given: Record<string, unknown> = { question };
      if (specs.length > 0) given["specs"] = specs;
      if (table?.file) Object.assign(given, { file: table.file, sheet: table.sheet, as_written: table.asWritten });
      onStarted(await startRun({ workflow: WORKFLOW, input: given as Record<string, never>, conversation_id: conversationId ?? null }));
      return true;
    } catch (error) {
      setProblem(problemFrom(error));
      return false;
    } finally {
      setStarting(false);
    }
  };
  return { ask, problem, isStarting };
}

interface Props {
  draftKey: string;
  placeholder: string;
  starting: Starting;
  /** Why nothing can be asked yet. */
  blocked?: string | undefined;
}

export function AnalysisBox({ draftKey, placeholder, starting, blocked }: Props) {
  const words = useWords(ANALYSIS);
  const shared = useWords(QUESTIONS);
  const id = useId();
  const draft = useDraft(draftKey, FIELDS);
  const [missing, setMissing] = useState("");
  const question = String(draft.values["question"] ?? "");
  const send = async () => {
    if (starting.isStarting) return;
    const wrong = question.trim() ? (blocked ?? "") : words.empty;
    setMissing(wrong);
    if (wrong) {
      document.getElementById(`${id}-question`)?.focus();
      return;
    }
    if (await starting.ask(question.trim())) draft.reset();
  };
  return (
    <form
      className="ask-box"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label className="aloud" htmlFor={`${id}-question`}>
        {words.question}
      </label>
      <GrowingText
        id={`${id}-question`}
        rows={1}
        value={question}
        placeholder={placeholder}
        aria-invalid={missing ? true : undefined}
        aria-describedby={missing ? `${id}-missing` : undefined}
        onChange={(value) => {
          setMissing("");
          draft.change("question", value);
        }}
        onSend={() => void send()}
      />
      <div className="ask-row">
        <span className="quiet ask-shortcut">{shared.shortcut}</span>
        <button type="submit" className="button primary" disabled={starting.isStarting}>
          {starting.isStarting ? words.starting : words.send}
          <Icon name="send" />
        </button>
      </div>
      {missing && (
        <p id={`${id}-missing`} className="field-problem" role="alert">
          {missing}
        </p>
      )}
      {starting.problem && <ProblemNote problem={starting.problem} />}
    </form>
  );
}

/** Questions to be asked with one click. */
export function Suggestions({ title, questions, onAsk }: { title: string; questions: readonly string[]; onAsk: (question: string) => void }) {
  if (questions.length === 0) return null;
  return (
    <div className="suggestions">
      <p className="quiet">{title}</p>
      <div className="chips">
        {questions.map((question) => (
          <button key={question} type="button" className="chip" onClick={() => onAsk(question)}>
            {question}
          </button>
        ))}
      </div>
    </div>
  );
}
