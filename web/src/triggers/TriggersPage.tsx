"use client";

import Link from "next/link";
import { useCallback, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { AddedTrigger, Firing, Trigger } from "@/api/model";
import { listPlans } from "@/api/plans";
import { listTriggers, pauseTrigger, readHistory, removeTrigger } from "@/api/triggers";
import { useAnswer } from "@/api/useAnswer";
import { planAddress } from "@/plans/PlansPage";
import { useLanguage, useWords, type Language } from "@/preferences/language";
import { CopyButton } from "@/shell/CopyButton";
import { Icon } from "@/shell/Icon";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import { cronOf, timesOf } from "./cron";
import { TriggerForm } from "./TriggerForm";
import { TRIGGERS } from "./words";

/** What starts plans by itself: when next, what came of it last, and all that can be done with it. */
export function TriggersPage() {
  const words = useWords(TRIGGERS);
  const shell = useWords(SHELL);
  const { value: triggers, problem, again } = useAnswer(listTriggers);
  const plans = useAnswer(listPlans).value;
  const titleOf = (planId: string) => plans?.find((each) => each.plan_id === planId)?.title || planId;
  const [edited, setEdited] = useState<Trigger | "new" | null>(null);
  const [made, setMade] = useState<AddedTrigger | null>(null);
  const onSaved = (saved: AddedTrigger) => {
    setEdited(null);
    setMade(saved);
    again();
  };
  return (
    <Page
      title={shell.triggers}
      lead={words.lead}
      actions={
        <button type="button" className="button small primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          {words.add}
        </button>
      }
    >
      <div className="stack">
        {problem && <ProblemNote problem={problem} retry={again} />}
        {made && <Made made={made} onClose={() => setMade(null)} />}
        {edited && <TriggerForm key={edited === "new" ? "new" : edited.trigger_id} trigger={edited === "new" ? null : edited} onSaved={onSaved} onClose={() => setEdited(null)} />}
        {triggers === null && !problem && <Loading />}
        {triggers?.length === 0 && !edited && <Empty title={words.none} />}
        {triggers && triggers.length > 0 && (
          <ul className="triggers">
            {triggers.map((trigger) => (
              <TriggerLine key={trigger.trigger_id} trigger={trigger} title={titleOf(trigger.plan_id)} onEdit={() => setEdited(trigger)} onChanged={again} />
            ))}
          </ul>
        )}
      </div>
    </Page>
  );
}

/** A webhook's address, and its secret this once. */
function Made({ made, onClose }: { made: AddedTrigger; onClose: () => void }) {
  const words = useWords(TRIGGERS);
  const shell = useWords(SHELL);
  return (
    <div className="notice trigger-made" role="status">
      <p className="section-head">
        <strong>{words.saved}</strong>
        <span className="spring" />
        <button type="button" className="plain" aria-label={shell.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </p>
      {made.address && (
        <p>
          {words.address} <code>{window.location.origin + made.address}</code> <CopyButton text={window.location.origin + made.address} />
        </p>
      )}
      {made.token && (
        <>
          <p>
            {words.token} <code className="trigger-token">{made.token}</code> <CopyButton text={made.token} />
          </p>
          <p className="quiet">{words.tokenHint}</p>
        </>
      )}
    </div>
  );
}

function TriggerLine({ trigger, title, onEdit, onChanged }: { trigger: Trigger; title: string; onEdit: () => void; onChanged: () => void }) {
  const words = useWords(TRIGGERS);
  const language = useLanguage();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isActing, setActing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const cause = causeText(trigger, words);
  const act = async (doing: () => Promise<unknown>) => {
    setActing(true);
    setProblem(null);
    try {
      await doing();
      onChanged();
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setActing(false);
    }
  };
  const { last } = trigger;
  return (
    <li className="trigger" data-paused={trigger.paused || undefined}>
      <div className="trigger-head">
        <Icon name={ICONS[trigger.cause.kind]} />
        <Link href={planAddress(trigger.plan_id)} prefetch={false}>
          {title}
        </Link>
        <span>{cause}</span>
        {trigger.paused && <span className="tag">{words.paused}</span>}
        {(trigger.missed ?? 0) > 0 && (
          <span className="tag" data-tone="caution">
            {words.missed(trigger.missed ?? 0)}
          </span>
        )}
        <span className="spring" />
        <span className="trigger-actions">
        <button type="button" className="button small" disabled={isActing} onClick={() => void act(() => pauseTrigger(trigger.trigger_id, !trigger.paused))}>
          {trigger.paused ? words.resume : words.pause}
        </button>
        <button type="button" className="button small" disabled={isActing} onClick={onEdit}>
          {words.edit}
        </button>
        <button
          type="button"
          className="plain"
          disabled={isActing}
          aria-label={words.remove(title, cause)}
          onClick={() => window.confirm(words.removeSure) && void act(() => removeTrigger(trigger.trigger_id))}
        >
          <Icon name="trash" />
        </button>
        </span>
      </div>
      <dl className="trigger-facts">
        {trigger.next_at && (
          <div>
            <dt>{words.next}</dt>
            <dd>{moment(trigger.next_at, language)}</dd>
          </div>
        )}
        <div>
          <dt>{words.last}</dt>
          <dd>{last ? <FiringLine firing={last} /> : words.never}</dd>
        </div>
        {trigger.address && (
          <div>
            <dt>{words.address}</dt>
            <dd>
              <code>{trigger.address}</code>
            </dd>
          </div>
        )}
      </dl>
      {problem && <ProblemNote problem={problem} />}
      <details className="small-details" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.history}</summary>
        {isOpen && <History triggerId={trigger.trigger_id} empty={words.never} />}
      </details>
    </li>
  );
}

const ICONS = { cron: "clock", folder: "clip", webhook: "send", after: "forward" } as const;

function History({ triggerId, empty }: { triggerId: string; empty: string }) {
  const ask = useCallback((signal: AbortSignal) => readHistory(triggerId, signal), [triggerId]);
  const { value, problem, again } = useAnswer(ask);
  if (problem) return <ProblemNote problem={problem} retry={again} />;
  if (value === null) return <Loading />;
  if (value.length === 0) return <p className="quiet">{empty}</p>;
  return (
    <ol className="trigger-history">
      {value.map((firing, at) => (
        <li key={at}>
          <FiringLine firing={firing} />
        </li>
      ))}
    </ol>
  );
}

function FiringLine({ firing }: { firing: Firing }) {
  const words = useWords(TRIGGERS);
  const language = useLanguage();
  const when = moment(firing.due_at, language);
  if (firing.status === "missed") return <span className="trigger-missed">{words.wasMissed(when, firing.count)}</span>;
  return (
    <>
      {when}{" "}
      {firing.run_id ? (
        <Link href={`/plans?${new URLSearchParams({ run: firing.run_id })}`} prefetch={false}>
          {words.toRun}
        </Link>
      ) : (
        words.status[firing.status as keyof typeof words.status]
      )}
      {firing.problem && (
        <span className="trigger-missed">
          {" "}
          {firing.problem.message} {firing.problem.hint}
        </span>
      )}
    </>
  );
}

const moment = (time: string, language: Language): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));

type Words = ReturnType<typeof useWords<(typeof TRIGGERS)["ja"]>>;

function causeText({ cause }: Trigger, words: Words): string {
  if (cause.kind === "folder") return words.causes.folder(cause.folder ?? "", cause.pattern ?? "*");
  if (cause.kind === "webhook") return words.causes.webhook;
  if (cause.kind === "after") return words.causes.after(cause.after ?? "", words.outcomes[cause.outcome ?? "succeeded"]);
  const cron = cause.schedule?.cron ?? "";
  const times = timesOf(cron);
  const told = {
    daily: words.causes.daily(times.time),
    weekly: words.causes.weekly(words.weekdays[times.weekday] ?? "", times.time),
    monthly: words.causes.monthly(times.day, times.time),
    cron: cronOf(times),
  }[times.rhythm];
  const holiday = cause.schedule?.on_holiday ?? "run";
  const zone = cause.schedule?.zone ?? "";
  return [told, holiday === "run" ? "" : words.holidays[holiday], zone === "Asia/Tokyo" ? "" : zone].filter(Boolean).join(" · ");
}
