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
}

export function Fields({ requirements, values, problems, onChange, onBusy, prefix, workflow = "" }: Props) {
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
          <OneField key={field.id} {...{ field, prefix, workflow, onChange, tell }} value={values[field.id]} problem={problems[field.id]} />
        ))}
    </>
  );
}

interface OneProps {
  field: Requirement;
  prefix: string;
  workflow: string;
  value: Json | undefined;
  problem: string | undefined;
  onChange: (id: string, value: Json | undefined) => void;
  tell: (id: string, isBusy: boolean) => void;
}

function OneField({ field, prefix, workflow, value, problem, onChange, tell }: OneProps) {
  const onBusy = useCallback((isBusy: boolean) => tell(field.id, isBusy), [tell, field.id]);
  return <Field id={`${prefix}-${field.id}`} {...{ field, workflow, value, problem, onBusy }} onChange={(next) => onChange(field.id, next)} />;
}

/** Brings the first field that is wrong into view, and the cursor into it. */
export function focusFirst(prefix: string, requirements: readonly Requirement[], problems: Readonly<Record<string, string>>): void {
  const first = requirements.find((field) => field.id in problems);
  if (first !== undefined) document.getElementById(`${prefix}-${first.id}`)?.focus();
}

/** Whether files of a form are still on their way. */
export function useBusy(): [boolean, (isBusy: boolean) => void] {
  return useState(false);
}
