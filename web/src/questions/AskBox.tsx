"use client";

import Link from "next/link";
import { useEffect, useId, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Requirement, Run } from "@/api/model";
import { listCollections, startRun } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { GrowingText } from "@/forms/GrowingText";
import { useDraft } from "@/forms/useDraft";
import { SampleButton } from "@/home/SampleButton";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { QUESTIONS } from "./words";

export type Asking = "research" | "ask";

interface Props {
  workflow: string;
  asking: Asking;
  /** Where it goes on: the same documents, the same conversation. */
  conversationId?: string | undefined;
  collection?: string | undefined;
  /** Whether one collection must be chosen. */
  needsCollection: boolean;
  onStarted: (run: Run) => void;
}

const FIELDS = [
  { id: "question", type: "text", label: "", required: true },
  { id: "collection", type: "text", label: "", required: false },
] as unknown as Requirement[];

/** A question about documents, and where to look. */
export function AskBox({ workflow, asking, conversationId, collection, needsCollection, onStarted }: Props) {
  const words = useWords(QUESTIONS);
  const language = useLanguage();
  const id = useId();
  const collections = useAnswer(listCollections);
  const draft = useDraft(`web:${workflow}:${conversationId ?? "new"}`, FIELDS);
  const [missing, setMissing] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isStarting, setStarting] = useState(false);
  const question = String(draft.values["question"] ?? "");
  const known = collections.value ?? [];
  const chosen = String(draft.values["collection"] ?? collection ?? "");
  const usable = known.some((each) => each.name === chosen) ? chosen : needsCollection ? (known[0]?.name ?? "") : "";

  useEffect(() => {
    if (question.trim()) setMissing("");
  }, [question]);

  const send = async () => {
    if (isStarting) return;
    if (!question.trim()) {
      setMissing(words.empty);
      document.getElementById(`${id}-question`)?.focus();
      return;
    }
    setStarting(true);
    setProblem(null);
    try {
      const input = { question: question.trim(), ...(usable ? { collection: usable } : {}) };
      const run = await startRun({ workflow, input, conversation_id: conversationId ?? null });
      draft.reset();
      onStarted(run);
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setStarting(false);
    }
  };

  if (collections.problem) return <ProblemNote problem={collections.problem} retry={collections.again} />;
  if (collections.value === null) return <Loading />;
  if (known.length === 0) {
    return (
      <Empty title={words.noCollections}>
        <p>{words.noCollectionsHint}</p>
        <p className="chips">
          <SampleButton workflow={workflow} isPrimary />
          <Link className="button" href="/collections" prefetch={false}>
            {words.makeCollection}
          </Link>
        </p>
      </Empty>
    );
  }
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
        rows={conversationId ? 1 : 2}
        value={question}
        placeholder={conversationId ? words.follow : words[asking].placeholder}
        aria-invalid={missing ? true : undefined}
        aria-describedby={missing ? `${id}-missing` : undefined}
        onChange={(value) => draft.change("question", value)}
        onSend={() => void send()}
      />
      <div className="ask-row">
        <label className="ask-choice">
          <Icon name="books" />
          <span className="aloud">{words.collection}</span>
          <select value={usable} onChange={(event) => draft.change("collection", event.target.value)}>
            {!needsCollection && <option value="">{words.everywhere}</option>}
            {known.map((each) => (
              <option key={each.name} value={each.name}>
                {`${each.name}（${words.documents(new Intl.NumberFormat(language).format(each.documents))}）`}
              </option>
            ))}
          </select>
        </label>
        <span className="quiet ask-shortcut">{words.shortcut}</span>
        <button type="submit" className="button primary" disabled={isStarting}>
          {isStarting ? words.starting : words[asking].send}
          <Icon name="send" />
        </button>
      </div>
      {missing && (
        <p id={`${id}-missing`} className="field-problem" role="alert">
          {missing}
        </p>
      )}
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
