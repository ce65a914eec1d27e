"use client";

import { useCallback, useEffect, useId, useState } from "react";
import { problemFrom, request, type Problem } from "@/api/client";
import type { Json, JsonObject, Requirement } from "@/api/model";
import type { components } from "@/api/schema";
import { useAnswer } from "@/api/useAnswer";
import { answerOf } from "@/forms/checking";
import { Fields } from "@/forms/Fields";
import type { Values } from "@/forms/useDraft";
import { useWords } from "@/preferences/language";
import { Loading, ProblemNote } from "@/shell/Notice";
import { SHELL } from "@/shell/words";
import type { Chip } from "./result";
import { ANALYSIS } from "./words";

type Form = components["schemas"]["ReadingForm"];

interface Props {
  /** What was clicked, and what says the same of another step. */
  chips: readonly Chip[];
  specs: readonly JsonObject[];
  columns: readonly string[];
  onChange: (specs: readonly JsonObject[]) => void;
  onClose: () => void;
}

/** One part of a reading, as a form that the server makes from the schema of what is computed. */
export function ReadingForm({ chips, specs, columns, onChange, onClose }: Props) {
  const words = useWords(ANALYSIS);
  const shell = useWords(SHELL);
  const id = useId();
  const ask = useCallback(
    (signal: AbortSignal) => formOf(chips[0], specs, columns, signal),
    // The chip stands for all of it: another one is another form.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [],
  );
  const form = useAnswer(ask);
  const [values, setValues] = useState<Values>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const fields: readonly Requirement[] = form.value?.fields ?? [];
  useEffect(() => {
    setValues(Object.fromEntries((form.value?.fields ?? []).map((field) => [field.id, field.default as Json])));
  }, [form.value]);
  const apply = async () => {
    try {
      const said = new Map(fields.map((field) => [field.label, values[field.id]]));
      let changed = specs;
      for (const chip of chips) {
        // The same words stand for the same thing, wherever it is in the other step.
        const its = chip === chips[0] ? fields : (await formOf(chip, changed, columns)).fields;
        const given = answerOf(its, Object.fromEntries(its.map((field) => [field.id, said.get(field.label)])));
        const body = { columns, specs: changed, step: chip.step, path: chip.path, values: given };
        changed = (await request<Form>("POST", "/analysis/reading", { body })).specs as unknown as JsonObject[];
      }
      onChange(changed);
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };
  if (form.problem) return <ProblemNote problem={form.problem} retry={form.again} />;
  if (form.value === null) return <Loading />;
  return (
    <form
      className="reading-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void apply();
      }}
    >
      <h3>{words.changeTitle}</h3>
      <p className="quiet">{fields.length > 0 ? words.changeLead : words.nothingToChange}</p>
      <Fields
        requirements={fields}
        values={values}
        problems={problem?.fields ?? {}}
        onChange={(field, value) => setValues((before) => ({ ...before, [field]: value }))}
        prefix={id}
      />
      {problem && <ProblemNote problem={problem} />}
      <div className="form-actions">
        {fields.length > 0 && (
          <button type="submit" className="button primary">
            {words.apply}
          </button>
        )}
        <button type="button" className="button" onClick={onClose}>
          {shell.cancel}
        </button>
      </div>
    </form>
  );
}

function formOf(chip: Chip | undefined, specs: readonly JsonObject[], columns: readonly string[], signal?: AbortSignal): Promise<Form> {
  const body = { columns, specs, step: chip?.step, path: chip?.path };
  return request("POST", "/analysis/reading", { body, signal });
}
