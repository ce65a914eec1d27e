"use client";

import { useRouter } from "next/navigation";
import { isFinal } from "@/api/model";
import { useRun } from "@/api/useRun";
import { useWords } from "@/preferences/language";
import { AskBox } from "@/questions/AskBox";
import { Notes } from "@/questions/Notes";
import { Recent } from "@/questions/Recent";
import { useTurns } from "@/questions/Turns";
import { QUESTIONS } from "@/questions/words";
import { RunList } from "@/runs/RunList";
import { RunActions, RunView, StatusTag } from "@/runs/RunView";
import { useParameter } from "@/shell/address";
import { Icon } from "@/shell/Icon";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import "@/styles/questions.css";

const WORKFLOW = "research";

export default function ResearchPage() {
  const [runId, open] = useParameter("run");
  return runId === null ? <Start onStarted={open} /> : <OneResearch key={runId} runId={runId} onStarted={open} />;
}

function Start({ onStarted }: { onStarted: (runId: string) => void }) {
  const words = useWords(QUESTIONS);
  const shell = useWords(SHELL);
  return (
    <Page title={words.research.heading} tabTitle={shell.research} lead={words.research.lead} width="text">
      <AskBox workflow={WORKFLOW} asking="research" needsCollection onStarted={(run) => onStarted(run.run_id)} />
      <Recent workflow={WORKFLOW} title={words.research.recent} />
    </Page>
  );
}

function OneResearch({ runId, onStarted }: { runId: string; onStarted: (runId: string) => void }) {
  const words = useWords(QUESTIONS);
  const shell = useWords(SHELL);
  const router = useRouter();
  const watched = useRun(runId);
  const { run, status } = watched;
  const turns = useTurns(run?.conversation_id ?? null).value ?? [];
  // The list was read once; of the run on this page it is known how it stands now.
  const session = turns.map((each) => (status !== null && each.run_id === runId ? { ...each, status } : each));
  const collection = run?.input["collection"];
  return (
    <Page
      title={run?.title || shell.research}
      width="text"
      lead={
        status && (
          <span className="chips">
            <StatusTag status={status} />
            {typeof collection === "string" && (
              <span className="tag">
                <Icon name="books" />
                {collection}
              </span>
            )}
          </span>
        )
      }
      actions={
        <>
          <RunActions watched={watched} />
          <button type="button" className="button small" onClick={() => router.push("/research")}>
            <Icon name="plus" />
            {words.newOne}
          </button>
        </>
      }
    >
      <RunView watched={watched} />
      {run && status !== null && isFinal(status) && <Notes session={run.conversation_id} />}
      {run && status !== "running" && status !== "queued" && (
        <section className="follow">
          <h2>{words.follow}</h2>
          <p className="quiet">{words.research.followLead}</p>
          <AskBox
            workflow={WORKFLOW}
            asking="research"
            conversationId={run.conversation_id}
            collection={typeof collection === "string" ? collection : undefined}
            needsCollection
            onStarted={(next) => onStarted(next.run_id)}
          />
        </section>
      )}
      {session.length > 1 && (
        <section className="recent">
          <h2>{words.earlier}</h2>
          <RunList runs={session} current={runId} />
        </section>
      )}
    </Page>
  );
}
