"use client";

import { memo, useState } from "react";
import type { ProgressPart, ProgressStep } from "@/api/model";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { duration } from "@/shell/Time";
import { PARTS } from "./words";

/** The steps as a timeline: open for whoever saw the run at work, a line for whoever comes later. It stands in one
 * place, and never folds by itself: that would push around what is being read. */
export function ProgressView({ part, isOver }: { part: ProgressPart; isOver: boolean }) {
  const words = useWords(PARTS);
  const language = useLanguage();
  const [isOpen, setOpen] = useState(!isOver);
  const [isLive] = useState(!isOver);
  const current = part.steps.findLast((step) => step.status === "running" || step.status === "waiting");
  const total = part.steps.reduce((sum, step) => sum + (step.depth === 0 || step.depth === undefined ? (step.duration_ms ?? 0) : 0), 0);
  return (
    <div className="progress" data-over={isOver || undefined}>
      <button type="button" className="progress-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="dot" data-status={isOver ? (part.steps.some((step) => step.status === "failed") ? "failed" : "succeeded") : (current?.status ?? "running")} />
        <span className="progress-now" aria-live="polite">
          {isOver ? words.stepsDone(part.steps.filter((step) => step.duration_ms != null).length || part.steps.length) : (current?.title ?? words.working)}
        </span>
        {isOver && total > 0 && <span className="quiet">{duration(total, language)}</span>}
        <span className="spring" />
        <Icon name={isOpen ? "up" : "down"} />
      </button>
      <ol className="timeline" data-live={isLive || undefined} hidden={!isOpen}>
        {part.steps.map((step) => (
          <StepLine key={step.id} step={step} />
        ))}
      </ol>
    </div>
  );
}

const StepLine = memo(function StepLine({ step }: { step: ProgressStep }) {
  const words = useWords(PARTS);
  const language = useLanguage();
  const lines = step.detail ? step.detail.split("\n") : [];
  return (
    <li className="step" data-status={step.status} data-depth={Math.min(step.depth ?? 0, 3)}>
      <span className="dot" data-status={step.status} />
      <div className="step-words">
        <p>
          <span className="step-title">{step.title}</span>
          <span className="aloud"> {words.stepStatus[step.status]}</span>
          {step.done !== null && step.done !== undefined && (
            <span className="tag">{step.of ? `${step.done} / ${step.of}` : step.done}</span>
          )}
          {step.score !== null && step.score !== undefined && (
            <span className="tag" data-tone={step.tone}>{`${Math.round(step.score * 100)}%`}</span>
          )}
          {step.duration_ms !== null && step.duration_ms !== undefined && (
            <span className="quiet">{duration(step.duration_ms, language)}</span>
          )}
        </p>
        {lines.length > 0 && (
          <ul className="step-detail">
            {lines.map((line, at) => (
              <li key={at}>{line}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
});
