"use client";

import type { ReactNode } from "react";
import type { Calibration } from "@/api/model";
import { useWords } from "@/preferences/language";
import { CALIBRATION } from "./words";

const SIZE = 240;
const EDGE = 34;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const across = (share: number): number => EDGE + share * SIZE;
const up = (share: number): number => 8 + (1 - share) * SIZE;
const percent = (share: number): string => `${Math.round(share * 100)}%`;

function Square({ x, y, label, children }: { x: string; y: string; label: string; children: ReactNode }) {
  return (
    <svg className="diagram" viewBox={`0 0 ${SIZE + EDGE + 14} ${SIZE + 50}`} role="img" aria-label={label}>
      {TICKS.map((tick) => (
        <g key={tick}>
          <path className="diagram-line" d={`M${EDGE} ${up(tick)}h${SIZE}M${across(tick)} ${up(0)}v-${SIZE}`} />
          <text x={EDGE - 6} y={up(tick) + 4} textAnchor="end">
            {percent(tick)}
          </text>
          <text x={across(tick)} y={up(0) + 16} textAnchor="middle">
            {percent(tick)}
          </text>
        </g>
      ))}
      <text x={EDGE + SIZE / 2} y={SIZE + 44} textAnchor="middle">
        {x}（→） {y}（↑）
      </text>
      {children}
    </svg>
  );
}

interface FrameProps {
  title: string;
  help: string;
  isEmpty: boolean;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  children: ReactNode;
}

function Frame({ title, help, isEmpty, heads, rows, children }: FrameProps) {
  const words = useWords(CALIBRATION);
  return (
    <section className="section">
      <h2>{title}</h2>
      {isEmpty ? (
        <p className="quiet">{words.few}</p>
      ) : (
        <>
          {children}
          <p className="quiet">{help}</p>
          <details className="small-details">
            <summary>{words.numbers}</summary>
            <div className="grid" tabIndex={0} role="region" aria-label={title}>
              <table className="pair-table">
                <thead>
                  <tr>
                    {heads.map((head) => (
                      <th key={head} scope="col">
                        {head}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row, at) => (
                    <tr key={at}>
                      {row.map((cell, column) => (
                        <td key={column}>{cell}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </section>
  );
}

/** What was said against what was so, in steps of confidence. */
export function Truth({ report }: { report: Calibration }) {
  const words = useWords(CALIBRATION);
  const bins = report.reliability.filter((bin) => bin.answers > 0);
  const most = Math.max(1, ...bins.map((bin) => bin.answers));
  return (
    <Frame
      title={words.truth}
      help={words.truthHelp}
      isEmpty={bins.length === 0}
      heads={[words.said, words.right, words.answers]}
      rows={bins.map((bin) => [percent(bin.said), percent(bin.true), String(bin.answers)])}
    >
      <Square x={words.said} y={words.right} label={words.truth}>
        <path className="diagram-ideal" d={`M${across(0)} ${up(0)}L${across(1)} ${up(1)}`} />
        {bins.map((bin) => (
          <circle key={bin.low} className="diagram-point" cx={across(bin.said)} cy={up(bin.true)} r={4 + 6 * Math.sqrt(bin.answers / most)}>
            <title>{`${percent(bin.said)} → ${percent(bin.true)} (${bin.answers})`}</title>
          </circle>
        ))}
      </Square>
    </Frame>
  );
}

/** How much would be answered alone at each threshold, and how much of that is right. */
export function Reach({ report }: { report: Calibration }) {
  const words = useWords(CALIBRATION);
  const points = report.coverage;
  const line = points.map((point, at) => `${at === 0 ? "M" : "L"}${across(point.coverage)} ${up(point.precision)}`).join("");
  return (
    <Frame
      title={words.reach}
      help={words.reachHelp}
      isEmpty={points.length === 0}
      heads={[words.said, words.coverage, words.right, words.answers]}
      rows={points.map((point) => [percent(point.threshold), percent(point.coverage), percent(point.precision), String(point.answers)])}
    >
      <Square x={words.coverage} y={words.right} label={words.reach}>
        <path className="diagram-curve" d={line} />
      </Square>
    </Frame>
  );
}
