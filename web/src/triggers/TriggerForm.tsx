"use client";

import { useCallback, useId, useMemo, useState, type FormEvent, type ReactNode } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { AddedTrigger, Json, NewTrigger, Trigger } from "@/api/model";
import { listPlans, readPlan } from "@/api/plans";
import { addTrigger, changeTrigger } from "@/api/triggers";
import { useAnswer } from "@/api/useAnswer";
import { Fields } from "@/forms/Fields";
import type { Values } from "@/forms/useDraft";
import { changedValues, fieldsOf, isTable } from "@/plans/variables";
import { PLANS } from "@/plans/words";
import { useWords } from "@/preferences/language";
import { ProblemNote } from "@/shell/Notice";
import { SHELL } from "@/shell/words";
import { cronOf, MORNING, timesOf, type Rhythm } from "./cron";
import { TRIGGERS } from "./words";

type Cause = NewTrigger["cause"];
type Kind = Cause["kind"];
type Holiday = NonNullable<NonNullable<Cause["schedule"]>["on_holiday"]>;

const KINDS: readonly Kind[] = ["cron", "folder", "webhook", "after"];
const RHYTHMS: readonly Rhythm[] = ["daily", "weekly", "monthly", "cron"];
const HOLIDAYS: readonly Holiday[] = ["run", "skip", "next", "previous"];
const OUTCOMES = ["succeeded", "failed", "ended"] as const;

const NO_CAUSE: Cause = { kind: "cron", catch_up: false, folder: "", pattern: "*", after: "", outcome: "succeeded", signed_by: "" };

interface Props {
  trigger: Trigger | null;
  onSaved: (saved: AddedTrigger) => void;
  onClose: () => void;
}

/** A new trigger, or one to be changed; what could never start is refused by the server, with its reason. */
export function TriggerForm({ trigger, onSaved, onClose }: Props) {
  const words = useWords(TRIGGERS);
  const shell = useWords(SHELL);
  const before = trigger?.cause;
  const [planId, setPlanId] = useState(trigger?.plan_id ?? "");
  const [kind, setKind] = useState<Kind>(before?.kind ?? "cron");
  const [times, setTimes] = useState(before?.schedule ? timesOf(before.schedule.cron) : MORNING);
  const [zone, setZone] = useState(before?.schedule?.zone ?? "Asia/Tokyo");
  const [holiday, setHoliday] = useState<Holiday>(before?.schedule?.on_holiday ?? "run");
  const [catchesUp, setCatchesUp] = useState(before?.catch_up ?? false);
  const [folder, setFolder] = useState(before?.folder ?? "");
  const [pattern, setPattern] = useState(before?.pattern ?? "*");
  const [signedBy, setSignedBy] = useState(before?.signed_by ?? "");
  const [after, setAfter] = useState(before?.after ?? "");
  const [outcome, setOutcome] = useState(before?.outcome ?? "succeeded");
  const [into, setInto] = useState(trigger?.into ?? "");
  const [typed, setTyped] = useState<Values>(() => shown(trigger?.vars ?? {}));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSaving, setSaving] = useState(false);
  const plans = useAnswer(listPlans).value;
  const ask = useCallback((signal: AbortSignal) => readPlan(planId, signal), [planId]);
  const plan = useAnswer(planId ? ask : null).value;
  const plansWords = useWords(PLANS);
  const fields = useMemo(() => (plan ? fieldsOf(plan, plansWords.structured).filter((field) => field.id !== into) : []), [plan, plansWords, into]);
  const prefix = useId();

  const causeNow = (): Cause => {
    const bare = { ...NO_CAUSE, kind };
    if (kind === "cron") return { ...bare, schedule: { cron: cronOf(times), zone: zone.trim(), on_holiday: holiday }, catch_up: catchesUp };
    if (kind === "folder") return { ...bare, folder: folder.trim(), pattern: pattern.trim() || "*" };
    return kind === "webhook" ? { ...bare, signed_by: signedBy.trim() } : { ...bare, after, outcome };
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const { given, faults: found } = plan ? changedValues(plan, typed, plansWords.unreadable) : { given: trigger?.vars ?? {}, faults: {} };
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    const { [into]: _, ...vars } = given;
    setSaving(true);
    setProblem(null);
    const body: NewTrigger = { plan_id: planId, cause: causeNow(), vars, into };
    try {
      onSaved(await (trigger ? changeTrigger(trigger.trigger_id, body) : addTrigger(body)));
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSaving(false);
    }
  };
  const offered = plans?.map((each) => ({ value: each.plan_id, label: each.title ? `${each.title} · ${each.plan_id}` : each.plan_id })) ?? [];
  return (
    <form className="trigger-form" aria-label={trigger ? words.editTitle : words.addTitle} onSubmit={(event) => void save(event)}>
      <h2>{trigger ? words.editTitle : words.addTitle}</h2>
      <div className="trigger-fields">
        <Choice label={words.plan} value={planId} onChange={setPlanId} options={[{ value: "", label: words.choosePlan }, ...offered]} />
        <Choice label={words.when} value={kind} onChange={(value) => setKind(value as Kind)} options={KINDS.map((each) => ({ value: each, label: words.kinds[each] }))} />
        {kind === "cron" && (
          <>
            <Choice label={words.rhythm} value={times.rhythm} onChange={(value) => setTimes({ ...times, rhythm: value as Rhythm, cron: times.cron || cronOf(times) })} options={RHYTHMS.map((each) => ({ value: each, label: words.rhythms[each] }))} />
            {times.rhythm === "weekly" && <Choice label={words.weekday} value={String(times.weekday)} onChange={(value) => setTimes({ ...times, weekday: Number(value) })} options={words.weekdays.map((label, at) => ({ value: String(at), label }))} />}
            {times.rhythm === "monthly" && <Entry label={words.day} type="number" min={1} max={31} value={String(times.day)} onChange={(value) => setTimes({ ...times, day: Number(value) })} />}
            {times.rhythm === "cron" ? (
              <Entry label={words.cron} hint={words.cronHint} value={times.cron} onChange={(cron) => setTimes({ ...times, cron })} />
            ) : (
              <Entry label={words.time} type="time" value={times.time} onChange={(time) => setTimes({ ...times, time })} />
            )}
            <Choice label={words.holiday} value={holiday} onChange={(value) => setHoliday(value as Holiday)} options={HOLIDAYS.map((each) => ({ value: each, label: words.holidays[each] }))} />
            <Entry label={words.zone} value={zone} onChange={setZone} />
            <label className="trigger-check">
              <input type="checkbox" checked={catchesUp} onChange={(event) => setCatchesUp(event.target.checked)} /> {words.catchUp}
            </label>
          </>
        )}
        {kind === "folder" && (
          <>
            <Entry label={words.folder} hint={words.folderHint} value={folder} onChange={setFolder} />
            <Entry label={words.pattern} hint={words.patternHint} value={pattern} onChange={setPattern} />
          </>
        )}
        {kind === "webhook" && <Entry label={words.signedBy} hint={words.signedByHint} value={signedBy} onChange={setSignedBy} />}
        {kind === "after" && (
          <>
            <Choice label={words.after} value={after} onChange={setAfter} options={[{ value: "", label: words.choosePlan }, ...offered]} />
            <Choice label={words.outcome} value={outcome} onChange={(value) => setOutcome(value as typeof outcome)} options={OUTCOMES.map((each) => ({ value: each, label: words.outcomes[each] }))} />
          </>
        )}
        {plan && Object.keys(plan.vars).length > 0 && (
          <Choice label={words.into} hint={words.intoHint} value={into} onChange={setInto} options={[{ value: "", label: words.nowhere }, ...Object.keys(plan.vars).map((name) => ({ value: name, label: name }))]} />
        )}
      </div>
      {fields.length > 0 && (
        <details className="aside">
          <summary>{plansWords.variables}</summary>
          <div className="aside-inside start">
            <Fields requirements={fields} values={{ ...defaults(fields), ...typed }} problems={faults} onChange={(id, value) => setTyped((now) => ({ ...now, [id]: value }))} prefix={prefix} />
          </div>
        </details>
      )}
      {problem && <ProblemNote problem={problem} />}
      <div className="form-actions">
        <button type="submit" className="button primary" disabled={isSaving || !planId}>
          {isSaving ? words.saving : words.save}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {shell.cancel}
        </button>
      </div>
    </form>
  );
}

/** Lists as the form has them: as texts, where they are no tables. */
const shown = (vars: Readonly<Record<string, Json>>): Values =>
  Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, value !== null && typeof value === "object" && !isTable(value) ? JSON.stringify(value) : value]));

const defaults = (fields: ReturnType<typeof fieldsOf>): Values => Object.fromEntries(fields.map((field) => [field.id, field.default ?? undefined]));

interface EntryProps {
  label: string;
  hint?: string;
  value: string;
  type?: "text" | "time" | "number";
  min?: number;
  max?: number;
  onChange: (value: string) => void;
}

function Entry({ label, hint = "", value, type = "text", min, max, onChange }: EntryProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(id) => <input id={id} className="input" type={type} min={min} max={max} value={value} spellCheck={false} onChange={(event) => onChange(event.target.value)} />}
    </Labelled>
  );
}

function Choice({ label, hint = "", value, options, onChange }: { label: string; hint?: string; value: string; options: readonly { value: string; label: string }[]; onChange: (value: string) => void }) {
  const known = options.some((each) => each.value === value) ? options : [...options, { value, label: value }];
  return (
    <Labelled label={label} hint={hint}>
      {(id) => (
        <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
          {known.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function Labelled({ label, hint, children }: { label: string; hint: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children(id)}
      {hint && <p className="quiet">{hint}</p>}
    </div>
  );
}
