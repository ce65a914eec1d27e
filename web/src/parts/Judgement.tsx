"use client";

import { useCallback, useState } from "react";
import { problemFrom, request, type Problem } from "@/api/client";
import type { components } from "@/api/schema";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { QUESTIONS } from "@/questions/words";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { useScene } from "./context";

type Verdict = components["schemas"]["Judgement"]["verdict"];

/** Whether a score was right, which makes later ones truer. */
export function Judgement() {
  const words = useWords(QUESTIONS);
  const { runId } = useScene();
  const path = `/grace/${encodeURIComponent(runId)}/feedback`;
  const ask = useCallback(
    (signal: AbortSignal) => request<components["schemas"]["FeedbackFound"]>("GET", path, { signal }),
    [path],
  );
  const found = useAnswer(ask);
  const [problem, setProblem] = useState<Problem | null>(null);
  const verdict = found.value?.feedback?.verdict;
  const say = async (said: Verdict | null) => {
    try {
      if (said === null) await request("DELETE", path);
      else await request("POST", path, { body: { verdict: said } });
      setProblem(null);
      found.again();
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };
  return (
    <div className="judgement">
      <span className="quiet" aria-live="polite">
        {verdict ? words.judged : words.judge}
      </span>
      <button type="button" className="chip" aria-pressed={verdict === "good"} onClick={() => void say("good")}>
        <Icon name="check" />
        {words.right}
      </button>
      <button type="button" className="chip" aria-pressed={verdict === "bad"} onClick={() => void say("bad")}>
        <Icon name="close" />
        {words.wrong}
      </button>
      {verdict && (
        <button type="button" className="plain" onClick={() => void say(null)}>
          {words.takeBack}
        </button>
      )}
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
