"use client";

import type { ReactNode } from "react";
import { artifactAddress } from "@/api/runs";
import type { Call, Interaction, JsonObject } from "@/api/model";
import { PARTS } from "@/parts/words";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon, type IconName } from "@/shell/Icon";
import { duration } from "@/shell/Time";
import type { Entry } from "./entries";
import { dollars, personOf } from "./overview";
import { labelled, readable } from "./values";
import { RECORDS } from "./words";

const ICONS: Readonly<Record<Entry["kind"], IconName>> = {
  start: "play",
  step: "check",
  skipped: "forward",
  failed: "warning",
  call: "sparkle",
  asked: "comment",
  due: "clock",
  answered: "user",
  file: "document",
  ended: "stop",
};

export function EntryLine({ entry, runId }: { entry: Entry; runId: string }) {
  const language = useLanguage();
  const when = new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(new Date(entry.time));
  return (
    <li className="audit-line" data-kind={entry.kind}>
      <time className="quiet" dateTime={entry.time}>
        {when}
      </time>
      <Icon name={ICONS[entry.kind]} />
      <div className="audit-words">
        <Told entry={entry} runId={runId} />
      </div>
    </li>
  );
}

function Told({ entry, runId }: { entry: Entry; runId: string }): ReactNode {
  const words = useWords(RECORDS);
  const parts = useWords(PARTS);
  const language = useLanguage();
  switch (entry.kind) {
    case "start":
      return <p>{entry.resumed ? words.events.resumed : words.events.start}</p>;
    case "step":
      return (
        <>
          <p>
            {entry.title} <span className="quiet">{duration(entry.took, language)}</span>{" "}
            {entry.iterations > 0 && <span className="tag">{words.loops(entry.iterations)}</span>}
          </p>
          {entry.warnings.map((warning, at) => (
            <p key={at} className="caution">
              {warning.message} {warning.hint}
            </p>
          ))}
          {entry.outputs !== null && (
            <details className="small-details">
              <summary>{words.detail}</summary>
              <pre className="plain-text" tabIndex={0}>
                {JSON.stringify(entry.outputs, null, 2).slice(0, 4000)}
              </pre>
            </details>
          )}
        </>
      );
    case "skipped":
      return (
        <>
          <p>
            {words.events.skipped}
            {"："}
            {entry.title}
          </p>
          {(entry.condition || entry.reason) && (
            <details className="small-details">
              <summary>{words.reason}</summary>
              <p className="quiet">
                {entry.reason} {entry.condition && <code>{entry.condition}</code>}
              </p>
            </details>
          )}
        </>
      );
    case "failed":
      return (
        <>
          <p className="bad">
            {words.events.failed}
            {"："}
            {entry.title}
          </p>
          <p>
            {entry.problem.message} {entry.problem.hint}
          </p>
          {entry.retryIn !== null && <p className="quiet">{words.retried(duration(entry.retryIn, language))}</p>}
          {entry.continued && <p className="quiet">{words.continued}</p>}
        </>
      );
    case "call":
      return <Asked call={entry.call} />;
    case "asked":
      return (
        <>
          <p>{words.events.asked}</p>
          <p className="audit-quote">{entry.interaction.message}</p>
        </>
      );
    case "due":
      return <p>{entry.overdue ? words.events.overdue : words.events.soon}</p>;
    case "answered":
      return (
        <>
          <p>{words.events.answered(personOf(entry.by, words))}</p>
          <Answer answer={entry.answer} interaction={entry.interaction} yes={parts.yes} no={parts.no} />
        </>
      );
    case "file":
      return (
        <p>
          {words.events.file}
          {"："}
          <a href={artifactAddress(runId, entry.artifact.artifact_id)} download={entry.artifact.name}>
            {entry.artifact.title || entry.artifact.name}
          </a>
        </p>
      );
    case "ended":
      return (
        <>
          <p>{words.events.ended[entry.status]}</p>
          {entry.problem && (
            <p className="bad">
              {entry.problem.message} {entry.problem.hint}
            </p>
          )}
        </>
      );
  }
}

function Asked({ call }: { call: Call }) {
  const words = useWords(RECORDS);
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const cost = call.cost_usd === null ? words.unknownCost : dollars(call.cost_usd, language);
  return (
    <>
      <p>
        {words.events.call}
        {"："}
        {call.model} {call.outcome !== "ok" && <span className="tag" data-tone="bad">{call.outcome}</span>}
      </p>
      <p className="quiet">
        {words.tokenCount(number.format(call.input_tokens), number.format(call.output_tokens))} · {cost} · {duration(call.duration_ms, language)}
        {call.purpose && ` · ${call.purpose}`}
      </p>
    </>
  );
}

interface AnswerProps {
  answer: JsonObject;
  interaction: Interaction | undefined;
  yes: string;
  no: string;
}

function Answer({ answer, interaction, yes, no }: AnswerProps) {
  const words = useWords(RECORDS);
  const { approved, comment, response } = answer;
  const lines = labelled(answer, interaction?.requirements ?? []);
  return (
    <>
      {typeof approved === "boolean" && <p>{approved ? words.approved : words.rejected}</p>}
      {[response, comment].map((text, at) => typeof text === "string" && text && <p key={at} className="audit-quote">{text}</p>)}
      {lines.length > 0 && (
        <dl className="facts">
          {lines.map(({ id, label, value }) => (
            <div key={id} className="fact">
              <dt>{label}</dt>
              <dd>{readable(value, yes, no)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
