"use client";

import Link from "next/link";
import { useCallback, useMemo, useState } from "react";
import type { Part, Requirement, Run } from "@/api/model";
import { listWorkflows, readParts, readRun } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { PartsContext, type PartsScene } from "@/parts/context";
import { PartView } from "@/parts/Parts";
import { SourcePanel } from "@/parts/SourcePanel";
import { PARTS } from "@/parts/words";
import { useLanguage, useWords } from "@/preferences/language";
import { RUNS } from "@/runs/words";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { addressOf } from "@/shell/places";
import { SHELL } from "@/shell/words";
import { overviewOf } from "./overview";
import { labelled, readable } from "./values";
import { RECORDS } from "./words";

interface Side {
  run: Run;
  parts: readonly Part[];
}

async function read(runId: string, signal: AbortSignal): Promise<Side> {
  const [run, parts] = await Promise.all([readRun(runId, signal), readParts(runId, signal)]);
  return { run, parts };
}

/** Two runs beside each other: what differs in what they were given and did, then what they gave. */
export function PairPage({ one, other }: { one: string; other: string }) {
  const words = useWords(RECORDS);
  const ask = useCallback((signal: AbortSignal) => Promise.all([read(one, signal), read(other, signal)]), [one, other]);
  const { value: sides, problem, again } = useAnswer(ask);
  return (
    <Page
      title={words.pairTitle}
      width="full"
      actions={
        <Link className="button small" href="/runs" prefetch={false}>
          <Icon name="back" />
          {words.back}
        </Link>
      }
    >
      {problem && <ProblemNote problem={problem} retry={again} />}
      {sides === null && !problem && <Loading />}
      {sides && (
        <div className="stack">
          <Differences sides={sides} />
          <div className="pair">
            {sides.map((side, at) => (
              <Outcome key={`${side.run.run_id}${at}`} side={side} />
            ))}
          </div>
        </div>
      )}
    </Page>
  );
}

const NO_FIELDS: readonly Requirement[] = [];

function Differences({ sides }: { sides: readonly [Side, Side] }) {
  const words = useWords(RECORDS);
  const shell = useWords(SHELL);
  const parts = useWords(PARTS);
  const runs = useWords(RUNS);
  const language = useLanguage();
  const [isWhole, setWhole] = useState(false);
  const { value: workflows } = useAnswer(listWorkflows);
  const tables = sides.map(({ run }) => {
    const fields = workflows?.find((each) => each.name === run.workflow)?.requirements ?? NO_FIELDS;
    return new Map([
      [words.status, shell.status[run.status]],
      ...labelled(run.input, fields).map(({ label, value }) => [label, readable(value, parts.yes, parts.no)] as const),
      ...overviewOf(run, words, language).map(({ label, value }) => [label, value] as const),
      [words.steps, String(run.steps.length)],
    ]);
  });
  const labels = [...new Set(tables.flatMap((table) => [...table.keys()]))];
  const rows = labels.map((label) => ({ label, cells: tables.map((table) => table.get(label) ?? "–") }));
  const differing = rows.filter(({ cells }) => cells[0] !== cells[1]);
  const shown = isWhole ? rows : differing;
  return (
    <section className="section">
      <div className="section-head">
        <h2>{words.pairDiffers}</h2>
        <label className="check">
          <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} />
          <span>{words.showSame}</span>
        </label>
      </div>
      {shown.length === 0 ? (
        <p className="quiet">{words.pairSame}</p>
      ) : (
        <div className="grid" tabIndex={0} role="region" aria-label={words.pairDiffers}>
          <table className="pair-table">
            <thead>
              <tr>
                <th scope="col">{words.item}</th>
                {sides.map(({ run }, at) => (
                  <th key={at} scope="col">
                    {run.title || runs.untitled}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(({ label, cells }) => (
                <tr key={label} data-differs={cells[0] !== cells[1] || undefined}>
                  <th scope="row">{label}</th>
                  {cells.map((cell, at) => (
                    <td key={at}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Outcome({ side: { run, parts } }: { side: Side }) {
  const words = useWords(RECORDS);
  const runs = useWords(RUNS);
  const [source, setSource] = useState<string | null>(null);
  const sources = useMemo(() => parts.flatMap((part) => (part.kind === "sources" ? part.items : [])), [parts]);
  const scene = useMemo<PartsScene>(
    () => ({
      runId: run.run_id,
      title: run.title,
      artifacts: run.artifacts,
      sources: new Map(sources.map((each) => [each.mark, each])),
      openSource: setSource,
    }),
    [run, sources],
  );
  return (
    <section className="section" aria-label={run.title || runs.untitled}>
      <div className="section-head">
        <h2>{run.title || runs.untitled}</h2>
        <Link className="plain" href={addressOf(run)} prefetch={false}>
          {words.open}
          <Icon name="forward" />
        </Link>
      </div>
      <PartsContext value={scene}>
        <div className="parts">
          {parts
            .filter((part) => !part.is_aside && part.kind !== "progress")
            .map((part) => (
              <PartView key={part.id} part={part} />
            ))}
        </div>
        {source !== null && <SourcePanel sources={sources} mark={source} onTurn={setSource} onClose={() => setSource(null)} />}
      </PartsContext>
    </section>
  );
}
