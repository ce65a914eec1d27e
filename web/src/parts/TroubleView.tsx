"use client";

import type { TroublePart } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { useScene } from "./context";
import { PARTS } from "./words";

export function TroubleView({ part }: { part: TroublePart }) {
  const words = useWords(PARTS);
  const { replay } = useScene();
  return (
    <div className="problem" data-tone={part.is_warning ? "caution" : undefined} role={part.is_warning ? undefined : "alert"}>
      <Icon name="warning" />
      <div>
        <p className="problem-message">{part.problem.message}</p>
        {part.problem.hint && <p>{part.problem.hint}</p>}
        {replay && (part.retries ?? []).length > 0 && (
          <p className="chips">
            {part.retries?.map((retry) => (
              <button key={retry.path.join("/")} type="button" className="button small" onClick={() => replay(retry.path)}>
                <Icon name="again" />
                {retry.is_question ? words.answerAgain(retry.title) : words.retryFrom(retry.title)}
              </button>
            ))}
          </p>
        )}
      </div>
    </div>
  );
}
