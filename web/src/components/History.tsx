"use client";

import { useTexts } from "@/preferences/language";
import type { ListedResearch } from "@/research/model";
import type { Listed } from "@/research/useHistory";
import { Icon } from "./Icon";
import { ProblemNote } from "./ProblemNote";
import { Time } from "./Time";

interface Props {
  history: Listed;
  current: string | null;
  onOpen: (runId: string | null) => void;
}

/** Earlier researches by their questions, latest first. */
export function History({ history, current, onOpen }: Props) {
  const texts = useTexts();
  return (
    <>
      <button type="button" className="button new" onClick={() => onOpen(null)}>
        <Icon name="plus" />
        {texts.ask.fresh}
      </button>
      <h2>{texts.history.heading}</h2>
      {history.problem && <ProblemNote problem={history.problem} retry={history.again} />}
      {history.items?.length === 0 && <p className="quiet">{texts.history.empty}</p>}
      <ul className="history-list">
        {history.items?.map((each) => (
          <li key={each.runId}>
            <HistoryLine each={each} current={each.runId === current} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {history.hasMore && (
        <button type="button" className="link" onClick={history.more}>
          {texts.history.more}
        </button>
      )}
    </>
  );
}

function HistoryLine({
  each,
  current,
  onOpen,
}: {
  each: ListedResearch;
  current: boolean;
  onOpen: (runId: string) => void;
}) {
  const texts = useTexts();
  return (
    <a
      className="history-line"
      href={`/research?run=${encodeURIComponent(each.runId)}`}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(each.runId);
      }}
    >
      <span className="history-question">{each.question || texts.history.untitled}</span>
      <span className="history-meta">
        <span className="status" data-status={each.status}>
          {texts.status[each.status]}
        </span>
        <Time at={each.createdAt} />
      </span>
    </a>
  );
}
