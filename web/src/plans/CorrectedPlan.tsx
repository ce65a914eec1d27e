"use client";

import { useRouter } from "next/navigation";
import { useCallback, useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Correction, JsonObject, Run } from "@/api/model";
import { readCorrection, resumeCorrected } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { addressOf } from "@/shell/places";
import { PLANS } from "./words";

const MOST_NAMED = 12;

/** A run that has not come to its end goes on with a plan that was put right; what is unchanged stands. */
export function CorrectedPlan({ run }: { run: Run }) {
  const words = useWords(PLANS);
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="aside" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.correct}</summary>
      <div className="aside-inside stack">
        <p className="quiet">{words.correctHint}</p>
        {isOpen && <Choice run={run} />}
      </div>
    </details>
  );
}

function Choice({ run }: { run: Run }) {
  const words = useWords(PLANS);
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const ask = useCallback((signal: AbortSignal) => readCorrection(run.run_id, signal), [run.run_id]);
  const { value: found, problem, again } = useAnswer(ask);
  const [isActing, setActing] = useState(false);
  const [failure, setFailure] = useState<Problem | null>(null);
  const goOn = async (change: { input: JsonObject } | { newest: true }) => {
    setActing(true);
    setFailure(null);
    try {
      router.push(addressOf(await resumeCorrected(run.run_id, change)));
    } catch (error) {
      setFailure(problemFrom(error));
      setActing(false);
    }
  };
  const upload = async (file: File) => {
    const before = run.input["source"] as { called?: JsonObject } | undefined;
    const source = { plan: { text: await file.text(), file: file.name }, called: before?.called ?? {} };
    await goOn({ input: { source, pictures: run.input["pictures"] ?? {} } });
  };
  if (problem) return <ProblemNote problem={problem} retry={again} />;
  if (found === null) return <Loading />;
  return (
    <>
      {found.correction ? <Differences correction={found.correction} /> : <p>{words.correctSame}</p>}
      <p className="run-reports">
        {found.correction && (
          <button type="button" className="button small" disabled={isActing} onClick={() => void goOn({ newest: true })}>
            <Icon name="again" />
            {words.correctNewest}
          </button>
        )}
        <button type="button" className="button small" disabled={isActing} onClick={() => input.current?.click()}>
          <Icon name="plan" />
          {words.correctFile}
        </button>
      </p>
      <input
        ref={input}
        type="file"
        hidden
        accept=".yaml,.yml"
        aria-label={words.correctFile}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) void upload(file);
        }}
      />
      {failure && <ProblemNote problem={failure} />}
    </>
  );
}

function Differences({ correction }: { correction: Correction }) {
  const words = useWords(PLANS);
  const named = (steps: readonly string[]) =>
    steps.slice(0, MOST_NAMED).join(words.comma) + (steps.length > MOST_NAMED ? " …" : "") || words.correctNone;
  return (
    <dl className="facts">
      <dt>{words.correctAgain}</dt>
      <dd>{named(correction.again)}</dd>
      <dt>{words.correctKept}</dt>
      <dd>{named(correction.kept)}</dd>
    </dl>
  );
}
