"use client";

import { useRouter } from "next/navigation";
import { useWords } from "@/preferences/language";
import { AskBox } from "@/questions/AskBox";
import { Recent } from "@/questions/Recent";
import { Turns, useTurns } from "@/questions/Turns";
import { QUESTIONS } from "@/questions/words";
import { useParameter } from "@/shell/address";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import "@/styles/questions.css";

const WORKFLOW = "grace";

/** Questions and answers with how sure they are. */
export default function AskPage() {
  const words = useWords(QUESTIONS);
  const shell = useWords(SHELL);
  const router = useRouter();
  const [conversation, open] = useParameter("conversation");
  const turns = useTurns(conversation);
  const runs = turns.value ?? [];
  if (conversation === null) {
    return (
      <Page title={words.ask.heading} tabTitle={shell.ask} lead={words.ask.lead} width="text">
        <AskBox workflow={WORKFLOW} asking="ask" needsCollection={false} onStarted={(run) => open(run.conversation_id)} />
        <Recent workflow={WORKFLOW} title={words.ask.recent} />
      </Page>
    );
  }
  return (
    <Page
      isConversation
      title={shell.ask}
      tabTitle={runs[0]?.title || shell.ask}
      width="text"
      actions={
        <button type="button" className="button small" onClick={() => router.push("/ask")}>
          <Icon name="plus" />
          {words.newOne}
        </button>
      }
    >
      {turns.problem && <ProblemNote problem={turns.problem} retry={turns.again} />}
      {turns.value === null && !turns.problem && <Loading />}
      <Turns runs={runs} />
      {runs.length > 0 && (
        <div className="composer">
          <AskBox workflow={WORKFLOW} asking="ask" conversationId={conversation} needsCollection={false} onStarted={turns.again} />
        </div>
      )}
    </Page>
  );
}
