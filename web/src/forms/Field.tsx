"use client";

import type { ReactNode } from "react";
import type { FileRef, Json, Requirement } from "@/api/model";
import { useLanguage, useWords } from "@/preferences/language";
import { isRequired } from "./checking";
import { inFull, readDay } from "./days";
import { FilePicker } from "./FilePicker";
import { GrowingText } from "./GrowingText";
import { Help } from "./Help";
import { TableField } from "./TableField";
import { FORMS } from "./words";

const MOST_RADIOS = 5;
/** A text that may be longer than that is written in an area. */
const ONE_LINE = 300;

interface Props {
  field: Requirement;
  id: string;
  value: Json | undefined;
  problem: string | undefined;
  /** What is wrong in the cells of a table: by `row.column`. */
  cellProblems?: Readonly<Record<string, string>>;
  onChange: (value: Json | undefined) => void;
  onBusy: (isBusy: boolean) => void;
  workflow: string;
  runId?: string;
}

interface Control extends Props {
  describedBy: string | undefined;
}

/** One field of a form: its label, what is entered, what that means, what is wrong with it. */
export function Field(props: Props) {
  const { field, id, problem } = props;
  const words = useWords(FORMS);
  const helpId = field.description ? `${id}-help` : "";
  const problemId = problem ? `${id}-problem` : "";
  const describedBy = [helpId, problemId].filter(Boolean).join(" ") || undefined;
  const control = DRAWN[field.type] ?? drawText;
  const isGroup = field.type === "table" || (field.type === "select" && (field.options ?? []).length <= MOST_RADIOS);
  const mark = (
    <span className="field-mark" data-required={isRequired(field) || undefined}>
      {isRequired(field) ? words.required : words.optional}
    </span>
  );
  return (
    <div className="field" data-type={field.type} data-field={field.id}>
      {isGroup ? (
        <span className="label" id={`${id}-label`}>
          {field.label} {mark}
        </span>
      ) : field.type === "boolean" ? null : (
        <label className="label" htmlFor={id}>
          {field.label} {mark}
        </label>
      )}
      {field.description && (
        <p id={helpId} className="field-help">
          {field.description}
        </p>
      )}
      <Help help={field.help} runId={props.runId ?? ""} />
      {control({ ...props, describedBy })}
      {problem && (
        <p id={problemId} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const DRAWN: Readonly<Record<string, (props: Control) => ReactNode>> = {
  file: (props) => drawFiles(props, "one"),
  files: (props) => drawFiles(props, "several"),
  folder: (props) => drawFiles(props, "folder"),
  text: drawText,
  chat: drawArea,
  select: drawSelect,
  boolean: drawBoolean,
  number: drawNumber,
  date: drawDate,
  table: ({ field, id, value, cellProblems = {}, describedBy, onChange }) => <TableField {...{ field, id, value, describedBy, onChange }} problems={cellProblems} />,
};

const asText = (value: Json | undefined): string => (value === null || value === undefined ? "" : String(value));

function drawText(props: Control): ReactNode {
  const { field, id, value, problem, onChange, describedBy } = props;
  const most = field.validation?.max_length ?? 0;
  if (!field.secret && most > ONE_LINE) return drawArea(props);
  return (
    <input
      id={id}
      className="input"
      type={field.secret ? "password" : "text"}
      autoComplete="off"
      value={asText(value)}
      aria-invalid={problem ? true : undefined}
      aria-required={field.required || undefined}
      aria-describedby={describedBy}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function drawArea({ field, id, value, problem, onChange, describedBy }: Control): ReactNode {
  return (
    <GrowingText
      id={id}
      value={asText(value)}
      rows={field.type === "chat" ? 3 : 2}
      aria-invalid={problem ? true : undefined}
      aria-required={field.required || undefined}
      aria-describedby={describedBy}
      onChange={onChange}
    />
  );
}

function drawNumber({ field, id, value, problem, onChange, describedBy }: Control): ReactNode {
  return (
    <input
      id={id}
      className="input input-short"
      type="text"
      inputMode={field.validation?.integer ? "numeric" : "decimal"}
      autoComplete="off"
      value={asText(value)}
      aria-invalid={problem ? true : undefined}
      aria-required={field.required || undefined}
      aria-describedby={describedBy}
      onChange={(event) => onChange(event.target.value || undefined)}
    />
  );
}

function drawDate(props: Control): ReactNode {
  return <Day {...props} />;
}

/** Typed as one writes it, eras too, or picked from a calendar; below it stands what was understood. */
function Day({ field, id, value, problem, onChange, describedBy }: Control) {
  const words = useWords(FORMS);
  const language = useLanguage();
  const typed = asText(value);
  const day = readDay(typed);
  return (
    <>
      <div className="day">
        <input
          id={id}
          className="input input-short"
          type="text"
          autoComplete="off"
          placeholder={words.dayExample}
          value={typed}
          aria-invalid={problem ? true : undefined}
          aria-required={field.required || undefined}
          aria-describedby={[describedBy, `${id}-day`].filter(Boolean).join(" ")}
          onChange={(event) => onChange(event.target.value || undefined)}
        />
        <input
          className="day-picker"
          type="date"
          aria-label={words.pickDay(field.label)}
          value={day ?? ""}
          min={asText(field.validation?.min)}
          max={asText(field.validation?.max)}
          onChange={(event) => onChange(event.target.value || undefined)}
        />
      </div>
      <p id={`${id}-day`} className="field-help" aria-live="polite">
        {day === null ? "" : inFull(day, language)}
      </p>
    </>
  );
}

function drawBoolean({ field, id, value, onChange, describedBy }: Control): ReactNode {
  return (
    <label className="check">
      <input id={id} type="checkbox" checked={value === true} aria-describedby={describedBy} onChange={(event) => onChange(event.target.checked)} />
      <span>{field.label}</span>
    </label>
  );
}

function drawSelect(props: Control): ReactNode {
  const { field, id, value, problem, onChange, describedBy } = props;
  const options = field.options ?? [];
  if (options.length > MOST_RADIOS) return <Selection {...props} />;
  return (
    <div className="radios" role="radiogroup" aria-labelledby={`${id}-label`} aria-describedby={describedBy} aria-invalid={problem ? true : undefined}>
      {options.map((option, at) => (
        <label key={String(option.value)} className="radio">
          <input id={at === 0 ? id : undefined} type="radio" name={id} checked={value === option.value} onChange={() => onChange(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}

function Selection({ field, id, value, problem, onChange, describedBy }: Control) {
  const words = useWords(FORMS);
  const options = field.options ?? [];
  const chosen = options.findIndex((option) => option.value === value);
  return (
    <select
      id={id}
      className="input"
      value={chosen}
      aria-invalid={problem ? true : undefined}
      aria-required={field.required || undefined}
      aria-describedby={describedBy}
      onChange={(event) => onChange(options[Number(event.target.value)]?.value)}
    >
      <option value={-1}>{words.choose}</option>
      {options.map((option, at) => (
        <option key={String(option.value)} value={at}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function drawFiles({ field, id, value, problem, onChange, onBusy, describedBy, workflow }: Control, how: "one" | "several" | "folder"): ReactNode {
  const files = (Array.isArray(value) ? value : value ? [value] : []) as unknown as FileRef[];
  return (
    <FilePicker
      id={id}
      label={field.label}
      files={files}
      onFiles={(chosen) => onChange((how === "one" ? chosen[0] : chosen.length > 0 ? chosen : undefined) as unknown as Json | undefined)}
      onBusy={onBusy}
      accept={field.accept}
      several={how === "several"}
      folder={how === "folder"}
      maxMb={field.validation?.max_size_mb ?? undefined}
      mostFiles={field.validation?.max_files ?? undefined}
      workflow={workflow}
      describedBy={describedBy}
      isInvalid={problem !== undefined}
    />
  );
}
