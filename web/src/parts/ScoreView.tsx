"use client";

import type { ScorePart } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Judgement } from "./Judgement";
import { PARTS } from "./words";

const RADIUS = 42;
const HALF = Math.PI * RADIUS;
const signs = ["minus", "info", "plus"] as const;

/** A gauge, what it means, and why. A reason's sign is that of its sentence, else it has none. */
export function ScoreView({ part }: { part: ScorePart }) {
  const words = useWords(PARTS);
  const percent = Math.round(part.value * 100);
  const reasons = (part.reasons ?? []).filter((reason) => reason.sentence);
  return (
    <div className="score" data-tone={part.tone}>
      <svg className="gauge" viewBox="0 0 100 58" role="img" aria-label={words.scoreOf(percent)}>
        <path className="gauge-ground" d="M8 52a42 42 0 0 1 84 0" />
        <path className="gauge-value" d="M8 52a42 42 0 0 1 84 0" strokeDasharray={`${HALF * part.value} ${HALF}`} />
        <text x="50" y="50" textAnchor="middle">
          {percent}
          <tspan className="gauge-unit" dx="1">
            %
          </tspan>
        </text>
      </svg>
      <div className="score-words">
        <p className="score-level">
          <span className="tag" data-tone={part.tone}>
            {part.level}
          </span>
          {part.sentence && <span>{part.sentence}</span>}
        </p>
        {(part.explanation ?? []).length > 0 && (
          <ul className="score-why">
            {part.explanation?.map((sentence) => <li key={sentence}>{sentence}</li>)}
          </ul>
        )}
        {reasons.length > 0 && (
          <details className="small-details">
            <summary>{words.reasons}</summary>
            <ul className="reasons">
              {reasons.map((reason) => (
                <li key={reason.label} data-sign={Math.sign(reason.effect ?? 0)}>
                  <Icon name={signs[Math.sign(reason.effect ?? 0) + 1] ?? "info"} />
                  <span>
                    {reason.sentence}
                    {reason.effect ? <span className="aloud">{reason.effect < 0 ? words.lowers : words.raises}</span> : null}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        )}
        {part.may_be_judged && <Judgement />}
      </div>
    </div>
  );
}
