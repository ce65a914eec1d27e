"use client";

import { useEffect } from "react";
import { readCluster } from "@/api/cluster";
import type { ClusterStatus } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { CLUSTER } from "./words";

const LOOK_MS = 3000;

/** Workers, what waits and for how long, and how much gets done. */
export function ClusterPage() {
  const words = useWords(CLUSTER);
  const { value: stands, problem, again } = useAnswer(readCluster);
  useEffect(() => {
    const looking = setInterval(() => document.visibilityState === "visible" && again(), LOOK_MS);
    return () => clearInterval(looking);
  }, [again]);
  return (
    <Page title={words.title} lead={words.lead}>
      <div className="stack">
        {problem && <ProblemNote problem={problem} retry={again} />}
        {stands === null && !problem && <Loading />}
        {stands && <Stands stands={stands} />}
      </div>
    </Page>
  );
}

function Stands({ stands }: { stands: ClusterStatus }) {
  const words = useWords(CLUSTER);
  return (
    <>
      {stands.problem && <ProblemNote problem={stands.problem} />}
      {Object.entries(stands.missing).map(([workflow, labels]) => (
        <ProblemNote key={workflow} problem={{ message: words.missing(workflow, labels.join("、")), hint: "" }} />
      ))}
      <dl className="facts">
        <div className="fact">
          <dt>{words.address}</dt>
          <dd>{stands.address || words.none}</dd>
        </div>
        {stands.address && (
          <div className="fact">
            <dt>{words.places}</dt>
            <dd>
              {stands.busy} / {stands.places}
            </dd>
          </div>
        )}
        <div className="fact">
          <dt>{words.throughput}</dt>
          <dd>
            {words.aMinute(stands.runs_a_minute)} <span className="quiet">{words.throughputHint}</span>
          </dd>
        </div>
      </dl>
      {stands.workers.length > 0 && <Workers workers={stands.workers} />}
      <Queue queue={stands.queue} />
    </>
  );
}

function Workers({ workers }: { workers: ClusterStatus["workers"] }) {
  const words = useWords(CLUSTER);
  const { columns } = words;
  return (
    <section className="section">
      <h2>{words.workers}</h2>
      <div className="standing" tabIndex={0} role="region" aria-label={words.workers}>
        <table>
          <thead>
            <tr>
              {Object.values(columns).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <tr key={worker.name}>
                <th scope="row" title={worker.name}>
                  {worker.address}
                </th>
                <td>
                  {worker.busy} / {worker.places}
                </td>
                <td>{worker.blocks}</td>
                <td>
                  {Object.entries(worker.labels)
                    .map(([name, amount]) => `${name}=${amount}`)
                    .join("、") || "–"}
                </td>
                <td>{worker.memory_mb} MB</td>
                <td>{Math.round(worker.cpu_percent)} %</td>
                <td>{words.silentFor(worker.silent_seconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Queue({ queue }: { queue: ClusterStatus["queue"] }) {
  const words = useWords(CLUSTER);
  return (
    <section className="section">
      <h2>{words.queue}</h2>
      {queue.length === 0 && <Empty title={words.empty} />}
      {queue.length > 0 && (
        <div className="standing" tabIndex={0} role="region" aria-label={words.queue}>
          <table>
            <thead>
              <tr>
                {Object.values(words.queueColumns).map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {queue.map((line) => (
                <tr key={`${line.owner} ${line.workflow}`}>
                  <th scope="row">{line.owner}</th>
                  <td>{line.workflow}</td>
                  <td>{line.queued}</td>
                  <td>{line.running}</td>
                  <td>{words.ago(line.oldest_seconds)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
