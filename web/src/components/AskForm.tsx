"use client";

import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { listCollections, startResearch } from "@/api/research";
import { useSpoken, workbenchAddress } from "@/preferences/language";
import { remember, remembered } from "@/preferences/store";
import { useAnswer } from "@/research/useAnswer";
import { Icon } from "./Icon";
import { ProblemNote } from "./ProblemNote";

const LAST_COLLECTION = "sanbo.research.collection";
const MOST_CHARACTERS = 4000;

interface Props {
  /** The session to go on with, for a follow-up. */
  session?: string;
  collection?: string;
  onStarted: (runId: string) => void;
}

export function AskForm({ session, collection, onStarted }: Props) {
  const { language, texts } = useSpoken();
  const collections = useAnswer(listCollections);
  const [question, setQuestion] = useState("");
  const [chosen, setChosen] = useState<string | null>(collection ?? null);
  const [starting, setStarting] = useState(false);
  const [missing, setMissing] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const names = collections.value?.map((each) => each.name) ?? [];
  const wanted = [chosen, remembered(LAST_COLLECTION)].find((name) => name && names.includes(name));
  const selected = wanted ?? names[0] ?? "";

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [question]);

  const start = async () => {
    if (starting) return;
    if (!question.trim()) {
      setMissing(true);
      box.current?.focus();
      return;
    }
    setStarting(true);
    setProblem(null);
    try {
      const run = await startResearch(question.trim(), selected, session ?? null);
      remember(LAST_COLLECTION, selected);
      setQuestion("");
      onStarted(run.run_id);
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setStarting(false);
    }
  };

  const onKey = (event: KeyboardEvent) => {
    // While an input method is composing, Enter is the method's own.
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void start();
    }
  };

  if (collections.problem) return <ProblemNote problem={collections.problem} retry={collections.again} />;
  if (collections.value?.length === 0) {
    return (
      <div className="card empty">
        <p>{texts.ask.noCollections}</p>
        <p className="quiet">{texts.ask.noCollectionsHint}</p>
        <p>
          <a className="button primary" href={workbenchAddress("/collections", language)}>
            {texts.ask.toCollections}
          </a>
        </p>
      </div>
    );
  }
  return (
    <form
      className="card ask"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <label htmlFor={`${id}-question`}>{session ? texts.ask.followUp : texts.ask.question}</label>
      {session && (
        <p className="quiet" id={`${id}-lead`}>
          {texts.ask.followUpLead}
        </p>
      )}
      <textarea
        id={`${id}-question`}
        ref={box}
        rows={session ? 2 : 3}
        maxLength={MOST_CHARACTERS}
        value={question}
        placeholder={session ? undefined : texts.ask.placeholder}
        aria-describedby={`${missing ? `${id}-missing ` : ""}${id}-shortcut${session ? ` ${id}-lead` : ""}`}
        aria-invalid={missing}
        onChange={(event) => {
          setQuestion(event.target.value);
          setMissing(false);
        }}
        onKeyDown={onKey}
      />
      {missing && (
        <p className="field-problem" id={`${id}-missing`} role="alert">
          {texts.ask.empty}
        </p>
      )}
      <div className="ask-row">
        <div className="ask-collection">
          <label htmlFor={`${id}-collection`}>{texts.ask.collection}</label>
          <select
            id={`${id}-collection`}
            value={selected}
            disabled={collections.value === null}
            onChange={(event) => setChosen(event.target.value)}
          >
            {(collections.value ?? []).map((each) => (
              <option key={each.name} value={each.name}>
                {texts.ask.option(each.name, each.documents)}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" className="button primary" disabled={starting || collections.value === null}>
          <Icon name="search" />
          {starting ? texts.ask.starting : texts.ask.start}
        </button>
      </div>
      <p className="quiet shortcut" id={`${id}-shortcut`}>
        {texts.ask.shortcut}
      </p>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
