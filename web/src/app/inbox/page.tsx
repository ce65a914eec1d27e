"use client";

import Link from "next/link";
import { useCallback, useState } from "react";
import type { Run } from "@/api/model";
import { WaitingRun } from "@/inbox/WaitingRun";
import { INBOX } from "@/inbox/words";
import { useWords } from "@/preferences/language";
import { RUNS } from "@/runs/words";
import { Icon } from "@/shell/Icon";
import { Empty } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { addressOf } from "@/shell/places";
import { inOrder, useWaiting } from "@/shell/waiting";
import { SHELL } from "@/shell/words";
import "@/styles/lists.css";
import "@/styles/inbox.css";

const AT_ONCE = 10;

/** Everything that waits for a person, to be answered in place. */
export default function Inbox() {
  const words = useWords(INBOX);
  const shell = useWords(SHELL);
  const runs = useWords(RUNS);
  const waiting = useWaiting();
  const [answered, setAnswered] = useState<readonly Run[]>([]);
  const [shown, setShown] = useState(AT_ONCE);
  const [ready, setReady] = useState<ReadonlySet<string>>(new Set());
  const onReady = useCallback((runId: string) => setReady((before) => (before.has(runId) ? before : new Set(before).add(runId))), []);
  // What is answered and asks again is a new question; the rest of it has been dealt with here.
  const done = new Map(answered.map((run) => [run.run_id, run]));
  const open = inOrder(
    waiting.filter((run) => {
      const last = done.get(run.run_id);
      return last === undefined || last.status === "waiting" || run.updated_at > last.updated_at;
    }),
  );
  const listed = open.slice(0, shown);
  const missing = listed.findIndex((run) => !ready.has(run.run_id));
  const come = missing < 0 ? listed.length : missing;
  return (
    <Page title={shell.inbox} lead={words.lead} width="text">
      <div className="stack">
        {answered.length > 0 && (
          <ul className="answered" aria-live="polite">
            {answered.map((run) => (
              <li key={run.run_id} className="fine">
                <Icon name="check" />
                <span>{words.answered(run.title || runs.untitled)}</span>
                <Link href={addressOf(run)} prefetch={false}>
                  {words.see}
                </Link>
              </li>
            ))}
          </ul>
        )}
        {open.length === 0 && (
          <Empty title={words.none}>
            <p>{words.noneHint}</p>
          </Empty>
        )}
        <ul className="inbox">
          {listed.map((run, at) => (
            <WaitingRun
              key={run.run_id}
              summary={run}
              isFirst={at === 0}
              isShown={at < come}
              onReady={onReady}
              onAnswered={(next) => setAnswered((before) => [...before.filter((each) => each.run_id !== next.run_id), next])}
            />
          ))}
        </ul>
        {open.length > shown && (
          <button type="button" className="button" onClick={() => setShown(shown + AT_ONCE)}>
            {words.more}
          </button>
        )}
      </div>
    </Page>
  );
}
