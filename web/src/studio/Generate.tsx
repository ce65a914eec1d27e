"use client";

import { useEffect, useId, useState, type FormEvent } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Json, JsonObject, Part, Requirement } from "@/api/model";
import { startRun } from "@/api/runs";
import { isAtWork, useRun } from "@/api/useRun";
import { Fields, useBusy } from "@/forms/Fields";
import { GrowingText } from "@/forms/GrowingText";
import { useWords } from "@/preferences/language";
import { RunView } from "@/runs/RunView";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { SHELL } from "@/shell/words";
import { madeBy, outlineOf, type Made, type Sentence } from "./outline";
import { STUDIO } from "./words";

interface Props {
  /** Of the plan that is open; a new one gets its own. */
  planId: string;
  /** The plan that may be changed; empty where there is none yet. */
  text: string;
  onMade: (text: string) => void;
  onClose: () => void;
}

/** The outline stands below, where it can be changed, and the text is what is taken. */
const isElsewhere = (part: Part): boolean => part.id === "outline" || part.kind === "files";

/** A plan out of a description and documents: first the outline, which can be changed; then its text, to be taken. */
export default function Generate({ planId, text, onMade, onClose }: Props) {
  const words = useWords(STUDIO);
  const shell = useWords(SHELL);
  const id = useId();
  const [question, setQuestion] = useState("");
  const [isChange, setChange] = useState(text !== "");
  const [documents, setDocuments] = useState<Json | undefined>(undefined);
  const [runId, setRunId] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isStarting, setStarting] = useState(false);
  const [isSending, setSending] = useBusy();
  const watched = useRun(runId);
  const isBusy = isStarting || isSending || isAtWork(watched.status);
  const made = watched.run?.status === "succeeded" ? madeBy(watched.run) : null;
  const wasChange = Boolean(watched.run?.input["plan_text"]);
  const files = { id: "documents", type: "files", label: words.documents, description: words.documentsHint, required: false } as Requirement;
  const start = async (outline: JsonObject | null) => {
    setStarting(true);
    setProblem(null);
    const input: JsonObject = { question, documents: documents ?? [], plan_id: planId, ...(outline ? { outline } : {}), ...(isChange ? { plan_text: text } : {}) };
    try {
      setRunId((await startRun({ workflow: "design", input })).run_id);
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setStarting(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (question.trim() && !isBusy) void start(null);
  };
  return (
    <section className="section studio-generate" aria-label={words.generate}>
      <div className="section-head">
        <h2>{words.generate}</h2>
        <span className="spring" />
        <button type="button" className="plain" aria-label={shell.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <form className="start" onSubmit={onSubmit}>
        {text && (
          <div className="segments" role="group" aria-label={words.generate}>
            {[true, false].map((changes) => (
              <button key={String(changes)} type="button" aria-pressed={isChange === changes} onClick={() => setChange(changes)}>
                {changes ? words.changeIt : words.makeNew}
              </button>
            ))}
          </div>
        )}
        <div className="field">
          <label className="label" htmlFor={`${id}-question`}>
            {isChange ? words.changeInstruction : words.instruction}
          </label>
          <GrowingText id={`${id}-question`} rows={3} value={question} onChange={setQuestion} placeholder={isChange ? words.changeExample : words.instructionExample} />
        </div>
        <Fields requirements={[files]} values={{ documents }} problems={{}} onChange={(_, value) => setDocuments(value)} onBusy={setSending} prefix={id} workflow="design" />
        <div className="form-actions">
          <button type="submit" className="button primary" disabled={isBusy || !question.trim()}>
            <Icon name="sparkle" />
            {isBusy ? words.generating : isChange ? words.changeIt : words.generateIt}
          </button>
        </div>
      </form>
      {problem && <ProblemNote problem={problem} />}
      {runId && <RunView watched={watched} without={isElsewhere} hasAsides={false} />}
      {made && wasChange && (
        <div className="form-actions">
          <button type="button" className="button small primary" onClick={() => onMade(made.text)}>
            <Icon name="check" />
            {words.seeChange}
          </button>
        </div>
      )}
      {made && !wasChange && <Outline key={runId} made={made} isBusy={isBusy} onAgain={(sentences) => void start(outlineOf(made, sentences))} onTake={() => onMade(made.text)} />}
    </section>
  );
}

/** The sentences that steps were made of: changed, removed and added ones make another plan. */
function Outline({ made, isBusy, onAgain, onTake }: { made: Made; isBusy: boolean; onAgain: (sentences: readonly Sentence[]) => void; onTake: () => void }) {
  const words = useWords(STUDIO);
  const [sentences, setSentences] = useState(made.sentences);
  useEffect(() => setSentences(made.sentences), [made.text]); // eslint-disable-line react-hooks/exhaustive-deps -- anew with each plan
  const isChanged = JSON.stringify(sentences) !== JSON.stringify(made.sentences);
  const change = (at: number, says: string) => setSentences((now) => now.map((each, index) => (index === at ? { ...each, says } : each)));
  const move = (at: number, by: number) =>
    setSentences((now) => {
      const after = [...now];
      const [moved] = after.splice(at, 1);
      if (moved) after.splice(at + by, 0, moved);
      return after;
    });
  return (
    <div className="studio-outline">
      <h3>{words.outline}</h3>
      <p className="quiet">{words.outlineHint}</p>
      <ol>
        {sentences.map((sentence, at) => (
          <li key={at}>
            <input type="text" className="input" aria-label={words.sentence(at + 1)} value={sentence.says} onChange={(event) => change(at, event.target.value)} />
            <span className="studio-outline-tools">
              <button type="button" className="plain" aria-label={words.moveUp(at + 1)} disabled={at === 0} onClick={() => move(at, -1)}>
                <Icon name="up" />
              </button>
              <button type="button" className="plain" aria-label={words.moveDown(at + 1)} disabled={at === sentences.length - 1} onClick={() => move(at, 1)}>
                <Icon name="down" />
              </button>
              <button type="button" className="plain" aria-label={words.removeSentence(at + 1)} onClick={() => setSentences((now) => now.filter((_, index) => index !== at))}>
                <Icon name="trash" />
              </button>
            </span>
            <span className="quiet">{sentence.says === sentence.before ? sentence.makes.map((step) => (step.who ? `${step.title}（${step.who}）` : step.title)).join(" → ") : words.sentenceChanged}</span>
          </li>
        ))}
      </ol>
      <div className="form-actions">
        <button type="button" className="button small" onClick={() => setSentences((now) => [...now, { says: "", before: "", makes: [] }])}>
          <Icon name="plus" />
          {words.addSentence}
        </button>
        <button type="button" className="button small" disabled={!isChanged || isBusy} onClick={() => onAgain(sentences)}>
          <Icon name="again" />
          {words.generateAgain}
        </button>
        <button type="button" className="button small primary" disabled={isBusy || isChanged} onClick={onTake}>
          <Icon name="check" />
          {words.take}
        </button>
      </div>
    </div>
  );
}
