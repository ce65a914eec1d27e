"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { GraphNode, GraphPart, Interaction } from "@/api/model";
import { resumeCorrected } from "@/api/runs";
import { PARTS } from "@/parts/words";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { addressOf } from "@/shell/places";
import { PLANS } from "./words";
import "@/styles/wizard.css";

/** The node whose form asks: without turns of loops, and without the question's own name. */
export const formOf = (interaction: Interaction): string => interaction.path.slice(0, -1).filter((name) => !/^#\d+$/.test(name)).join("/");

export const formsIn = (graph: GraphPart | undefined): GraphNode[] => graph?.nodes.filter((node) => node.is_question) ?? [];

interface Props {
  runId: string;
  forms: readonly GraphNode[];
  /** Forms that wait for an answer. */
  open: readonly string[];
  current: string | null;
  onChoose: (form: string) => void;
}

/** A plan's forms in their order: how far one has come, and the way back to one that was answered. */
export function Wizard({ runId, forms, open, current, onChoose }: Props) {
  const words = useWords(PLANS);
  const status = useWords(PARTS).stepStatus;
  const router = useRouter();
  const [isGoing, setGoing] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const at = forms.findIndex((form) => form.id === current);
  const number = at >= 0 ? at + 1 : forms.filter((form) => form.status === "succeeded").length;
  const canChange = (form: GraphNode) => form.id !== current && (open.includes(form.id) || (form.status === "succeeded" && !form.parent));
  const before = forms.slice(0, at >= 0 ? at : forms.length).findLast(canChange);
  const go = async (form: GraphNode) => {
    if (open.includes(form.id)) return onChoose(form.id);
    setGoing(true);
    setProblem(null);
    try {
      router.push(addressOf(await resumeCorrected(runId, { step: form.path ?? [] })));
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setGoing(false);
    }
  };
  return (
    <nav className="wizard" aria-label={words.wizard}>
      <div className="wizard-head">
        {before && (
          <button type="button" className="button small" disabled={isGoing} onClick={() => void go(before)}>
            <Icon name="back" />
            {words.wizardBack}
          </button>
        )}
        <p aria-live="polite">{words.wizardStep(number, forms.length, forms[at]?.title ?? "")}</p>
      </div>
      <progress className="wizard-bar" value={number} max={forms.length} aria-label={words.wizard} />
      <ol className="wizard-steps">
        {forms.map((form) => (
          <li key={form.id} data-status={form.id === current ? "current" : form.status} aria-current={form.id === current ? "step" : undefined}>
            {canChange(form) ? (
              <button type="button" className="link" disabled={isGoing} aria-label={words.wizardTo(form.title)} onClick={() => void go(form)}>
                {form.title}
              </button>
            ) : (
              <span>{form.title}</span>
            )}
            <span className="wizard-status">{status[form.status ?? "pending"]}</span>
          </li>
        ))}
      </ol>
      {forms.some((form) => form.status === "succeeded") && <p className="quiet">{words.wizardHint}</p>}
      {problem && <ProblemNote problem={problem} />}
    </nav>
  );
}
