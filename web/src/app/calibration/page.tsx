"use client";

import { useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Calibration } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { fitScore, readCalibration, switchVersion } from "@/api/workplace";
import { Reach, Truth } from "@/calibration/Diagrams";
import { Thresholds } from "@/calibration/Thresholds";
import { CALIBRATION } from "@/calibration/words";
import { useWords } from "@/preferences/language";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { Time } from "@/shell/Time";
import { SHELL } from "@/shell/words";
import "@/styles/lists.css";
import "@/styles/calibration.css";

const SHOWN = 10;

export default function CalibrationPage() {
  const words = useWords(CALIBRATION);
  const shell = useWords(SHELL);
  const { value: report, problem, again } = useAnswer(readCalibration);
  return (
    <Page title={shell.calibration} lead={words.lead}>
      {problem && <ProblemNote problem={problem} retry={again} />}
      {report === null && !problem && <Loading />}
      {report && (
        <div className="stack">
          <Now report={report} />
          <div className="diagrams">
            <Truth report={report} />
            <Reach report={report} />
          </div>
          <Thresholds inForce={report.thresholds} />
          <Versions report={report} onChanged={again} />
          <History report={report} />
        </div>
      )}
    </Page>
  );
}

function Now({ report }: { report: Calibration }) {
  const words = useWords(CALIBRATION);
  const { labels, figures, silent_wrong_at_worst: worst } = report;
  const figure = (value: number | null) => (value === null ? words.unknown : value.toFixed(3));
  const lines = [
    [words.judged, words.goodBad(labels.good, labels.bad)],
    [words.version, report.version],
    [words.wrong, worst === null ? words.unknown : words.atMost(`${Math.round(worst * 100)}%`)],
    [words.ece, figure(figures.ece)],
    [words.auroc, figure(figures.auroc)],
    [words.brier, figure(figures.brier)],
  ] as const;
  return (
    <section className="section">
      <dl className="numbers">
        {lines.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {report.warnings.map((warning) => (
        <p key={warning} className="notice">
          {warning}
        </p>
      ))}
    </section>
  );
}

function Versions({ report, onChanged }: { report: Calibration; onChanged: () => void }) {
  const words = useWords(CALIBRATION);
  const [failure, setFailure] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (change: () => Promise<Calibration>) => {
    setBusy(true);
    setFailure(null);
    try {
      await change();
      onChanged();
    } catch (error) {
      setFailure(problemFrom(error));
    } finally {
      setBusy(false);
    }
  };
  const judged = report.labels.good + report.labels.bad;
  return (
    <section className="section">
      <h2>{words.versions}</h2>
      {!report.may_change && <p className="quiet">{words.notYours}</p>}
      {report.may_change && !report.can_fit && <p className="quiet">{words.tooFew(report.labels.needed, judged)}</p>}
      {failure && <ProblemNote problem={failure} />}
      <ul className="versions">
        {report.versions.map((version) => (
          <li key={version.version}>
            <b>{version.version}</b>
            <span className="quiet">{version.how === null ? words.shipped : words.labels(version.labels, version.good)}</span>
            {version.made_at && (
              <span className="quiet">
                <Time of={version.made_at} />
              </span>
            )}
            <span className="spring" />
            {version.in_use ? (
              <span className="tag" data-tone="good">
                {words.inUse}
              </span>
            ) : (
              report.may_change && (
                <button type="button" className="button small" disabled={isBusy} onClick={() => void act(() => switchVersion(version.version))}>
                  {words.use}
                </button>
              )
            )}
          </li>
        ))}
      </ul>
      {report.may_change && report.can_fit && (
        <div>
          <button type="button" className="button" disabled={isBusy} onClick={() => void act(() => fitScore("logistic", ""))}>
            {words.fit}
          </button>
        </div>
      )}
    </section>
  );
}

function History({ report }: { report: Calibration }) {
  const words = useWords(CALIBRATION);
  return (
    <section className="section">
      <h2>{words.history}</h2>
      {report.history.length === 0 && <p className="quiet">{words.noHistory}</p>}
      <ul className="versions">
        {report.history.slice(0, SHOWN).map((change) => (
          <li key={change.number}>
            <span>{change.told}</span>
            <span className="spring" />
            <span className="quiet">
              <Time of={change.time} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
