"use client";

import { useCallback, useId, useState, type FormEvent } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { PlanDetail, Preset, Run } from "@/api/model";
import { listPresets, removePreset, savePreset } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { Time } from "@/shell/Time";
import { PLANS } from "./words";
import "@/styles/wizard.css";

/** Answers of an earlier time to start from; nothing where none were kept. */
export function PresetChoice({ plan, chosen, onChoose }: { plan: PlanDetail; chosen: string; onChoose: (name: string) => void }) {
  const words = useWords(PLANS);
  const id = useId();
  const ask = useCallback((signal: AbortSignal) => listPresets(plan.plan_id, signal), [plan.plan_id]);
  const { value: presets, problem, again } = useAnswer(ask);
  const [failure, setFailure] = useState<Problem | null>(null);
  if (problem) return <ProblemNote problem={problem} retry={again} />;
  if (!presets || presets.length === 0) return null;
  const preset = presets.find((each) => each.name === chosen);
  const remove = async (gone: Preset) => {
    if (!window.confirm(words.presetRemoveSure(gone.name))) return;
    setFailure(null);
    try {
      await removePreset(plan.plan_id, gone.name);
      onChoose("");
      again();
    } catch (error) {
      setFailure(problemFrom(error));
    }
  };
  // One's own goes before a shared one of the same name, also where a run is started.
  const first = presets.filter((each, at) => presets.findIndex((other) => other.name === each.name) === at);
  return (
    <div className="field preset-choice">
      <label className="label" htmlFor={id}>
        {words.preset}
      </label>
      <div className="preset-line">
        <select id={id} className="input" value={chosen} onChange={(event) => onChoose(event.target.value)}>
          <option value="">{words.presetNone}</option>
          {first.map((each) => (
            <option key={each.name} value={each.name}>
              {each.is_mine ? each.name : words.presetOf(each.name, each.owner)}
            </option>
          ))}
        </select>
        {preset?.is_mine && (
          <button type="button" className="plain" aria-label={words.presetRemove(preset.name)} title={words.presetRemove(preset.name)} onClick={() => void remove(preset)}>
            <Icon name="trash" />
          </button>
        )}
      </div>
      {preset && (
        <p className="quiet">
          {preset.shared ? words.presetShared : words.presetMine} · <Time of={preset.updated_at} /> · {words.presetUse}
        </p>
      )}
      {preset && (preset.unfit?.length ?? 0) > 0 && <p className="notice">{words.presetUnfit(preset.unfit?.join(words.comma) ?? "")}</p>}
      {failure && <ProblemNote problem={failure} />}
    </div>
  );
}

/** What was answered in a run, for the next time. */
export function SavePreset({ run }: { run: Run }) {
  const words = useWords(PLANS);
  const id = useId();
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [saved, setSaved] = useState<Preset | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    setSaved(null);
    setProblem(null);
    try {
      setSaved(await savePreset(run.run_id, name.trim(), isShared));
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <details className="aside">
      <summary>{words.presetSave}</summary>
      <form className="aside-inside stack" onSubmit={(event) => void save(event)}>
        <p className="quiet">{words.presetSaveHint}</p>
        <div className="preset-line">
          <label className="label" htmlFor={id}>
            {words.presetName}
          </label>
          <input id={id} className="input" type="text" value={name} maxLength={100} placeholder={words.presetExample} onChange={(event) => setName(event.target.value)} />
          <label className="preset-shared">
            <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} /> {words.presetShare}
          </label>
          <button type="submit" className="button small" disabled={isSaving || !name.trim()}>
            {isSaving ? words.presetSaving : words.presetSaveIt}
          </button>
        </div>
        {saved && (
          <p role="status" className="fine">
            <Icon name="check" />
            {words.presetSaved(saved.name)}
            {(saved.left_out?.length ?? 0) > 0 && ` ${words.presetLeftOut(saved.left_out?.join(words.comma) ?? "")}`}
          </p>
        )}
        {problem && <ProblemNote problem={problem} />}
      </form>
    </details>
  );
}
