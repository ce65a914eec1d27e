"use client";

import { useCallback, useId, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { FileRef, Json, Run } from "@/api/model";
import { readWorkflow, startRun } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { answerOf } from "@/forms/checking";
import { Fields, useBusy } from "@/forms/Fields";
import { FilePicker } from "@/forms/FilePicker";
import { GrowingText } from "@/forms/GrowingText";
import { useDraft } from "@/forms/useDraft";
import { FORMS } from "@/forms/words";
import { SampleButton } from "@/home/SampleButton";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { takeOver } from "@/shell/handover";
import { COMPARE } from "./words";

export const WORKFLOW = "comparison";
const SIDES = ["old", "new"] as const;
const OWN = new Set(["old", "new", "old_text", "new_text"]);
const NONE: readonly FileRef[] = [];

/** Two documents, side by side as they will be compared. */
export function CompareStart({ onStarted }: { onStarted: (run: Run) => void }) {
  const ask = useCallback((signal: AbortSignal) => readWorkflow(WORKFLOW, signal), []);
  const workflow = useAnswer(ask);
  if (workflow.problem) return <ProblemNote problem={workflow.problem} retry={workflow.again} />;
  if (workflow.value === null) return <Loading />;
  return <Form requirements={workflow.value.requirements} onStarted={onStarted} />;
}

type Requirements = NonNullable<Awaited<ReturnType<typeof readWorkflow>>["requirements"]>;

function Form({ requirements, onStarted }: { requirements: Requirements; onStarted: (run: Run) => void }) {
  const words = useWords(COMPARE);
  const forms = useWords(FORMS);
  const id = useId();
  const draft = useDraft("web:comparison:new", requirements);
  const [given] = useState(() => takeOver("compare"));
  const [isPasting, setPasting] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isStarting, setStarting] = useState(false);
  const [isOldBusy, setOldBusy] = useBusy();
  const [isNewBusy, setNewBusy] = useBusy();
  const more = requirements.filter((field) => !OWN.has(field.id));
  const filesOf = (side: "old" | "new"): readonly FileRef[] => (draft.values[side] as unknown as readonly FileRef[] | undefined) ?? NONE;
  const textOf = (side: "old" | "new"): string => String(draft.values[`${side}_text`] ?? "");
  const isPaste = isPasting || textOf("old") !== "" || textOf("new") !== "";

  const start = async () => {
    if (isOldBusy || isNewBusy) {
      setProblem({ message: forms.stillSending, hint: "", status: 0, fields: {} });
      return;
    }
    const hasBoth = SIDES.every((side) => (isPaste ? textOf(side).trim() : filesOf(side).length > 0));
    const isFromCollection = Boolean(draft.values["old_document"] && draft.values["new_document"]);
    if (!hasBoth && !isFromCollection) {
      setProblem({ message: words.missing, hint: "", status: 0, fields: {} });
      return;
    }
    setStarting(true);
    setProblem(null);
    try {
      const run = await startRun({ workflow: WORKFLOW, input: answerOf(requirements, draft.values) as Record<string, never> });
      draft.reset();
      onStarted(run);
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setStarting(false);
    }
  };
  const swap = () => {
    const before = draft.values;
    for (const [one, other] of [["old", "new"], ["old_text", "new_text"]] as const) {
      draft.change(one, before[other]);
      draft.change(other, before[one]);
    }
  };
  return (
    <form
      className="start"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div className="pair">
        {SIDES.map((side, at) => (
          <div key={side} className="pair-side">
            <label className="label" htmlFor={`${id}-${side}`}>
              {words[side]}
            </label>
            {isPaste ? (
              <GrowingText id={`${id}-${side}`} rows={8} value={textOf(side)} aria-label={words[`${side}Text`]} onChange={(value) => draft.change(`${side}_text`, value || undefined)} />
            ) : (
              <FilePicker
                id={`${id}-${side}`}
                label={words[side]}
                files={filesOf(side)}
                onFiles={(files) => draft.change(side, files as unknown as Json)}
                onBusy={side === "old" ? setOldBusy : setNewBusy}
                accept={requirements.find((field) => field.id === side)?.accept}
                several
                workflow={WORKFLOW}
                given={given.length === 2 ? given.slice(at, at + 1) : at === 0 ? given : undefined}
              />
            )}
          </div>
        ))}
        <button type="button" className="plain pair-swap" aria-label={words.swap} title={words.swap} onClick={swap}>
          <Icon name="compare" />
        </button>
      </div>
      <details className="small-details">
        <summary>{words.more}</summary>
        <div className="start start-more">
          <Fields requirements={more} values={draft.values} problems={problem?.fields ?? {}} onChange={draft.change} prefix={id} />
        </div>
      </details>
      {problem && <ProblemNote problem={problem} />}
      <div className="form-actions">
        <button type="submit" className="button primary" disabled={isStarting}>
          {words.start}
          <Icon name="send" />
        </button>
        <button
          type="button"
          className="plain"
          onClick={() => {
            if (isPaste) {
              draft.change("old_text", undefined);
              draft.change("new_text", undefined);
            }
            setPasting(!isPaste);
          }}
        >
          {isPaste ? words.files : words.paste}
        </button>
        <span className="spring" />
        <SampleButton workflow={WORKFLOW} />
      </div>
    </form>
  );
}
