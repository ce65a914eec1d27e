"use client";

import { useCallback, useRef, useState } from "react";
import type { Json, Requirement } from "@/api/model";
import { isAsked } from "./checking";
import { Field } from "./Field";
import type { Values } from "./useDraft";

interface Props {
  requirements: readonly Requirement[];
  values: Values;
  problems: Readonly<Record<string, string>>;
  onChange: (id: string, value: Json | undefined) => void;
  onBusy?: ((isBusy: boolean) => void) | undefined;
  prefix: string;
  workflow?: string;
  /** Whose pictures help. */
  runId?: string;
}

export function Fields({ requirements, values, problems, onChange, onBusy, prefix, workflow = "", runId = "" }: Props) {
  const busy = useRef(new Set<string>());
  const tell = useCallback(
    (id: string, isBusy: boolean) => {
      if (isBusy) busy.current.add(id);
      else busy.current.delete(id);
      onBusy?.(busy.current.size > 0);
    },
    [onBusy],
  );
  return (
    <>
      {requirements
        .filter((field) => isAsked(field, values))
        .map((field) => (
          <OneField
            key={field.id}
            {...{ field, prefix, workflow, runId, onChange, tell }}
            value={values[field.id]}
            problem={problems[field.id]}
            cellProblems={field.type === "table" ? ofCells(problems, field.id) : undefined}
          />
        ))}
    </>
  );
}

interface OneProps {
  field: Requirement;
  prefix: string;
  workflow: string;
  runId: string;
  value: Json | undefined;
  problem: string | undefined;
  cellProblems: Readonly<Record<string, string>> | undefined;
  onChange: (id: string, value: Json | undefined) => void;
  tell: (id: string, isBusy: boolean) => void;
}

/** Of a table's cells, by `row.column`; they are told as `field.row.column`. */
function ofCells(problems: Readonly<Record<string, string>>, id: string): Record<string, string> {
  const found = Object.entries(problems).filter(([place]) => place.startsWith(`${id}.`));
  return Object.fromEntries(found.map(([place, text]) => [place.slice(id.length + 1), text]));
}

function OneField({ field, prefix, workflow, runId, value, problem, cellProblems, onChange, tell }: OneProps) {
  const onBusy = useCallback((isBusy: boolean) => tell(field.id, isBusy), [tell, field.id]);
  const set = useCallback((next: Json | undefined) => onChange(field.id, next), [onChange, field.id]);
  const cells = cellProblems ? { cellProblems } : {};
  return <Field id={`${prefix}-${field.id}`} {...{ field, workflow, runId, value, problem, onBusy, ...cells }} onChange={set} />;
}

/** Brings the first field that is wrong into view, and the cursor into it. */
export function focusFirst(prefix: string, requirements: readonly Requirement[], problems: Readonly<Record<string, string>>): void {
  const places = Object.keys(problems);
  const first = requirements.find(({ id }) => places.some((place) => place === id || place.startsWith(`${id}.`)));
  if (first === undefined) return;
  const drawn = document.getElementById(`${prefix}-${first.id}`);
  // The cells of a table are marked when the page has been drawn again.
  setTimeout(() => (drawn?.closest(".entry-grid")?.querySelector<HTMLElement>("[aria-invalid]") ?? drawn)?.focus(), 0);
}

/** Whether files of a form are still on their way. */
export function useBusy(): [boolean, (isBusy: boolean) => void] {
  return useState(false);
}
