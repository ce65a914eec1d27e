"use client";

import { useCallback, useDeferredValue, useId, useState } from "react";
import type { Cutoffs } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { tryThresholds } from "@/api/workplace";
import { useWords } from "@/preferences/language";
import { ProblemNote } from "@/shell/Notice";
import { CALIBRATION } from "./words";

const NAMES = ["silent", "notify", "confirm"] as const;

/** What other thresholds would have done with past questions; nothing is changed. */
export function Thresholds({ inForce }: { inForce: Cutoffs }) {
  const words = useWords(CALIBRATION);
  const id = useId();
  const { silent, notify, confirm } = inForce;
  const [cutoffs, setCutoffs] = useState<Cutoffs>({ silent, notify, confirm });
  const settled = useDeferredValue(cutoffs);
  const isOrdered = 0 < settled.confirm && settled.confirm < settled.notify && settled.notify < settled.silent && settled.silent <= 1;
  const ask = useCallback((signal: AbortSignal) => tryThresholds(settled, signal), [settled]);
  const { value: result, problem } = useAnswer(isOrdered ? ask : null);
  const [last, setLast] = useState(result);
  if (result && result !== last) setLast(result);
  return (
    <section className="section">
      <h2>{words.thresholds}</h2>
      <p className="quiet">{words.thresholdsHelp}</p>
      {NAMES.map((name) => (
        <div key={name} className="slider">
          <label htmlFor={`${id}-${name}`}>{words.levels[name]}</label>
          <input
            id={`${id}-${name}`}
            type="range"
            min={0.01}
            max={1}
            step={0.01}
            value={cutoffs[name]}
            onChange={(event) => setCutoffs({ ...cutoffs, [name]: Number(event.target.value) })}
          />
          <output>{Math.round(cutoffs[name] * 100)}%</output>
        </div>
      ))}
      <div>
        <button type="button" className="button small" onClick={() => setCutoffs({ silent, notify, confirm })}>
          {words.back}
        </button>
      </div>
      {!isOrdered && <p className="field-problem">{words.unordered}</p>}
      {problem && <ProblemNote problem={problem} />}
      {isOrdered && last && (
        <>
          <p aria-live="polite">{last.questions.length === 0 ? words.none : words.changed(last.questions.length, last.changed)}</p>
          {last.questions.length > 0 && (
            <div className="grid" tabIndex={0} role="region" aria-label={words.thresholds}>
              <table className="pair-table">
                <thead>
                  <tr>
                    <th scope="col">{words.level}</th>
                    <th scope="col">{words.then}</th>
                    <th scope="col">{words.nowIf}</th>
                  </tr>
                </thead>
                <tbody>
                  {last.levels.map((level) => (
                    <tr key={level.level}>
                      <th scope="row">{words.levels[level.level]}</th>
                      <td>{level.then}</td>
                      <td>{level.now}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </>
      )}
    </section>
  );
}
