"use client";

import { useId, useState, type ReactNode } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Interaction, JsonObject, Requirement, Run } from "@/api/model";
import { answerRun } from "@/api/runs";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { lookForWaiting } from "@/shell/waiting";
import { answerOf, faults, withoutBlankRows } from "./checking";
import { Fields, focusFirst, useBusy } from "./Fields";
import { GrowingText } from "./GrowingText";
import { Circumstances, peopleOf } from "./Circumstances";
import { Help } from "./Help";
import { useDraft } from "./useDraft";
import { FORMS } from "./words";

interface Props {
  runId: string;
  interaction: Interaction;
  onAnswered: (run: Run) => void;
  /** What to know before answering: parts that belong to the question. */
  children?: ReactNode;
}

/** The one form for every question of every workflow; nothing typed is lost before it is sent. */
export function QuestionForm({ runId, interaction, onAnswered, children }: Props) {
  const words = useWords(FORMS);
  const prefix = useId();
  const { mode, requirements: fields = [] } = interaction;
  const decides = mode === "confirm" || mode === "mixed";
  const asks = mode === "inquire" || mode === "mixed";
  const demands = mode === "inquire" && fields.length === 0;
  // What the mode itself asks for is kept like a field.
  const all: Requirement[] = [
    ...fields,
    ...(asks ? [textField("response", words.response, demands)] : []),
    ...(decides ? [textField("comment", words.comment, false)] : []),
  ];
  const draft = useDraft(`web:${interaction.state_key || `${runId}::${interaction.interaction_id}`}`, all);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const [isBusy, setBusy] = useBusy();

  const send = async (decision: JsonObject) => {
    if (isSending) return;
    const isRejected = decision["approved"] === false;
    const filled = withoutBlankRows(draft.values);
    for (const [id, rows] of Object.entries(filled)) draft.change(id, rows);
    const values = { ...draft.values, ...filled };
    // Whoever sends something back need not fill in the rest.
    const found = isRejected ? {} : faults(all, values, words);
    setProblems(found);
    setProblem(isBusy ? { message: words.stillSending, hint: "", status: 0, fields: {} } : null);
    if (Object.keys(found).length > 0 || isBusy) {
      focusFirst(prefix, all, found);
      return;
    }
    setSending(true);
    try {
      const run = await answerRun(runId, interaction.interaction_id, { ...answerOf(all, values), ...decision });
      draft.reset();
      onAnswered(run);
      void lookForWaiting();
    } catch (error) {
      const refused = problemFrom(error);
      setProblem(refused);
      setProblems(refused.fields);
      focusFirst(prefix, all, refused.fields);
    } finally {
      setSending(false);
    }
  };

  return (
    <section className="question" aria-label={words.question} data-interaction={interaction.interaction_id}>
      <p className="question-head">
        <Icon name="comment" />
        {interaction.for_me === false ? words.questionToOthers : words.question}
        <Circumstances interaction={interaction} />
      </p>
      {interaction.message.split(/\n{2,}/).map((paragraph, at) => (
        <p key={at} className="question-message">
          {paragraph}
        </p>
      ))}
      <Help help={interaction.help} runId={runId} />
      {children}
      <Conversation lines={interaction.chat ?? []} />
      {interaction.for_me === false ? (
        <p className="notice">{words.notYours(peopleOf(interaction))}</p>
      ) : (
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send(mode === "confirm" ? { approved: true } : {});
        }}
      >
        {draft.dropped.length > 0 && <p className="notice">{words.dropped(draft.dropped.join("、"))}</p>}
        <Fields requirements={fields} values={draft.values} problems={problems} onChange={draft.change} onBusy={setBusy} prefix={prefix} runId={runId} />
        {all.slice(fields.length).map((field) => (
          <div key={field.id} className="field">
            <label className="label" htmlFor={`${prefix}-${field.id}`}>
              {field.label} <span className="field-mark">{field.required ? words.required : words.optional}</span>
            </label>
            <GrowingText
              id={`${prefix}-${field.id}`}
              rows={2}
              value={String(draft.values[field.id] ?? "")}
              aria-invalid={problems[field.id] ? true : undefined}
              aria-describedby={problems[field.id] ? `${prefix}-${field.id}-problem` : undefined}
              onChange={(value) => draft.change(field.id, value)}
              onSend={decides ? undefined : () => void send({})}
            />
            {problems[field.id] && (
              <p id={`${prefix}-${field.id}-problem`} className="field-problem" role="alert">
                {problems[field.id]}
              </p>
            )}
          </div>
        ))}
        {problem && <ProblemNote problem={problem} />}
        <div className="form-actions">
          {decides && (
            <>
              <button type="button" className="button primary" disabled={isSending} onClick={() => void send({ approved: true })}>
                <Icon name="check" />
                {words.approve}
              </button>
              <button type="button" className="button" disabled={isSending} onClick={() => void send({ approved: false })}>
                {words.reject}
              </button>
            </>
          )}
          {mode !== "confirm" && (
            <button type="submit" className={decides ? "button" : "button primary"} disabled={isSending}>
              {isSending ? words.sending : decides ? words.sendUndecided : words.send}
            </button>
          )}
          <span className="quiet" aria-live="polite">
            {draft.isSaved ? words.saved : draft.isRestored ? words.restored : ""}
          </span>
          <span className="spring" />
          {(draft.isSaved || draft.isRestored) && (
            <button type="button" className="plain" onClick={() => window.confirm(words.resetSure) && draft.reset()}>
              {words.reset}
            </button>
          )}
        </div>
      </form>
      )}
    </section>
  );
}

function textField(id: string, label: string, required: boolean): Requirement {
  return { id, type: "chat", label, required } as Requirement;
}

export function Conversation({ lines }: { lines: NonNullable<Interaction["chat"]> }) {
  const words = useWords(FORMS);
  if (lines.length === 0) return null;
  return (
    <ol className="conversation">
      {lines.map((line, at) => (
        <li key={at} data-role={line.role}>
          <span className="aloud">{line.role === "user" ? words.you : words.assistant}</span>
          {line.text}
        </li>
      ))}
    </ol>
  );
}
