"use client";

import { useState } from "react";
import { useTexts } from "@/preferences/language";
import { isFinal, type Cycle, type Research } from "@/research/fold";
import type { DecideStep, FoundPassage, RetrieveStep, SearchedQuery } from "@/research/model";
import { Icon } from "./Icon";

const SHOWN_AT_FIRST = 3;

/** The way to the report: what was searched for, found and decided, cycle by cycle. */
export function Steps({ research }: { research: Research }) {
  const texts = useTexts();
  const over = isFinal(research.status);
  const begun = research.cycles.at(-1);
  const searchingAnew = research.active === "retrieve" && begun?.decide !== null;
  const passages = begun?.retrieve?.passages_in_all ?? 0;
  return (
    <details className="steps" open={!over} key={over ? "over" : "under way"}>
      <summary>
        <h2>{texts.steps.heading}</h2>
        {begun && <span className="quiet">{texts.steps.summary(research.cycles.length, passages)}</span>}
      </summary>
      <ol className="cycles">
        {research.cycles.map((cycle) => (
          <CycleView
            key={cycle.number}
            cycle={cycle}
            deciding={research.active === "decide" && cycle === begun}
            open={over || (cycle === begun && research.active !== "answer" && !searchingAnew)}
          />
        ))}
        {searchingAnew && (
          <li className="cycle" data-active>
            <h3>{texts.steps.cycle((begun?.number ?? 0) + 1)}</h3>
            {begun?.decide && <Words words={begun.decide.next_queries} />}
            <p className="working">{texts.steps.searching}</p>
          </li>
        )}
        {research.active === "answer" && (
          <li className="cycle" data-active>
            <p className="working">{texts.steps.writing}</p>
          </li>
        )}
        {research.cycles.length === 0 && research.active === null && !over && (
          <li className="cycle" data-active>
            <p className="working">{texts.steps.waitingToStart}</p>
          </li>
        )}
      </ol>
    </details>
  );
}

/** Open while it is the latest news; those before it, and all once the report begins, in one line. */
function CycleView({ cycle, deciding, open }: { cycle: Cycle; deciding: boolean; open: boolean }) {
  const texts = useTexts();
  const { retrieve, decide } = cycle;
  return (
    <li className="cycle" data-active={deciding || undefined}>
      <details open={open}>
        <summary>
          <h3>{texts.steps.cycle(cycle.number)}</h3>
          {retrieve && (
            <span className="quiet">
              {texts.steps.cycleSummary(retrieve.queries.length, retrieve.passages.length)}
            </span>
          )}
          {decide && <span className="quiet">{decide.enough ? texts.steps.enough : texts.steps.notEnough}</span>}
        </summary>
        {retrieve && <Retrieved step={retrieve} />}
        {deciding && <p className="working">{texts.steps.deciding}</p>}
        {decide && <Decided step={decide} />}
      </details>
    </li>
  );
}

function Retrieved({ step }: { step: RetrieveStep }) {
  const texts = useTexts();
  return (
    <>
      {step.cycle === 1 && step.sub_questions.length > 1 && (
        <>
          <h4>{texts.steps.subQuestions}</h4>
          <ol className="sub-questions">
            {step.sub_questions.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ol>
        </>
      )}
      <h4>{texts.steps.queries}</h4>
      <ul className="queries">
        {step.queries.map((query) => (
          <Query key={query.text} query={query} />
        ))}
      </ul>
      {step.problem && <p className="notice" data-tone="warning">{step.problem}</p>}
      <h4>{texts.steps.passages}</h4>
      {step.passages.length === 0 ? (
        <p className="quiet">{texts.steps.noPassages}</p>
      ) : (
        <Passages passages={step.passages} />
      )}
    </>
  );
}

function Query({ query }: { query: SearchedQuery }) {
  const texts = useTexts();
  return (
    <li>
      <span className="query-text">{query.text}</span>
      <span className="query-counts">
        {texts.steps.hits(query.hits)}
        {query.new > 0 && <span className="query-new">{texts.steps.fresh(query.new)}</span>}
        {query.cached && (
          <span className="tag" title={texts.steps.cachedHint}>
            {texts.steps.cached}
          </span>
        )}
      </span>
    </li>
  );
}

function Passages({ passages }: { passages: readonly FoundPassage[] }) {
  const texts = useTexts();
  const [all, setAll] = useState(false);
  const shown = all ? passages : passages.slice(0, SHOWN_AT_FIRST);
  const rest = passages.length - shown.length;
  return (
    <>
      <ul className="passages">
        {shown.map((passage) => (
          <PassageLine key={passage.id} passage={passage} />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {texts.steps.more(rest)}
        </button>
      )}
    </>
  );
}

function PassageLine({ passage }: { passage: FoundPassage }) {
  const texts = useTexts();
  const percent = Math.round(passage.relevance * 100);
  const place = passage.sheet ?? (passage.page === null ? "" : texts.steps.page(passage.page));
  return (
    <li>
      <div className="passage-head">
        <span className="passage-document">
          <Icon name="document" />
          {passage.document}
          {place && <span className="quiet"> {place}</span>}
        </span>
        <span className="relevance">
          <span className="bar" aria-hidden="true">
            <span style={{ inlineSize: `${percent}%` }} />
          </span>
          <span className="relevance-figure">{texts.steps.relevance(percent)}</span>
        </span>
      </div>
      <p className="passage-beginning">{passage.beginning}</p>
    </li>
  );
}

function Decided({ step }: { step: DecideStep }) {
  const texts = useTexts();
  return (
    <div className="decision" data-enough={step.enough}>
      <p>
        <span className="verdict">
          <Icon name={step.enough ? "check" : "search"} />
          {step.enough ? texts.steps.enough : texts.steps.notEnough}
        </span>
        <span className="quiet">{step.decided_by === "rules" ? texts.steps.byRules : texts.steps.byModel}</span>
      </p>
      <p>{step.reason}</p>
      {step.missing.length > 0 && (
        <>
          <h4>{texts.steps.missing}</h4>
          <ul className="plain-list">
            {step.missing.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
      {step.stop_reason === null && step.next_queries.length > 0 && (
        <>
          <h4>{texts.steps.next}</h4>
          <Words words={step.next_queries} />
        </>
      )}
      {step.stop_reason !== null && <p className="stop-reason">{texts.stop_reason[step.stop_reason]}</p>}
    </div>
  );
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <ul className="words">
      {words.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
