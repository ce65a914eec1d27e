"use client";

import Link from "next/link";
import { useCallback, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { PlanDiff, PlanState, PlanVersion, PlanVersionDetail } from "@/api/model";
import { comparePlans, listVersions, readVersion } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { PartView } from "@/parts/Parts";
import { useWords } from "@/preferences/language";
import { ProblemNote } from "@/shell/Notice";
import { Time } from "@/shell/Time";
import { studioAddress } from "./addresses";
import { STUDIO } from "./words";

const TONES: Readonly<Record<PlanState, string>> = { draft: "", in_review: "caution", approved: "good", retired: "bad" };

export function StateTag({ state }: { state: PlanState }) {
  return (
    <span className="tag" data-tone={TONES[state] || undefined}>
      {useWords(STUDIO).states[state]}
    </span>
  );
}

interface Props {
  planId: string;
  /** As it is now, saved or not. */
  text: string;
  open: PlanVersion | null;
  /** Changes where the list is to be asked for anew. */
  round: number;
}

/** All versions of a plan, what differs from each, and what happened to the one that is open. */
export function Versions({ planId, text, open, round }: Props) {
  const words = useWords(STUDIO);
  const [diff, setDiff] = useState<{ of: string; told: PlanDiff } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const compare = (version: string) => {
    setProblem(null);
    comparePlans(`${planId}@${version}`, text).then(
      (told) => setDiff({ of: text, told }),
      (error: unknown) => setProblem(problemFrom(error)),
    );
  };
  const ask = useCallback((signal: AbortSignal) => listVersions(planId, signal), [planId, round]);
  const listed = useAnswer(planId ? ask : null).value;
  const look = useCallback((signal: AbortSignal) => readVersion(open?.plan_id ?? "", open?.version ?? "", signal), [open]);
  const detail: PlanVersionDetail | null = useAnswer(open ? look : null).value;
  return (
    <section className="section" aria-label={words.versions}>
      <h2>{words.versions}</h2>
      {listed?.length === 0 && <p className="quiet">{words.noVersions}</p>}
      <ul className="studio-versions">
        {listed?.map((each) => (
          <li key={each.version} aria-current={each.version === open?.version ? "true" : undefined}>
            <strong>{each.version}</strong>
            <StateTag state={each.state} />
            <span className="quiet">{words.byWhom(each.author)}</span>
            <Time of={each.updated_at} />
            {each.version !== open?.version && (
              <button type="button" className="link" onClick={() => compare(each.version)}>
                {words.compare(each.version)}
              </button>
            )}
            {each.version !== open?.version && (
              <Link href={studioAddress(`${each.plan_id}@${each.version}`)} prefetch={false}>
                {words.openVersion}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {problem && <ProblemNote problem={problem} />}
      {diff && diff.of === text && (
        <div className="studio-diff" role="region" aria-label={words.differs(diff.told.old)}>
          <h3>{words.differs(diff.told.old)}</h3>
          {diff.told.changes.length === 0 && <p className="quiet">{words.same}</p>}
          {diff.told.parts.map((part) => (
            <PartView key={part.id} part={part} />
          ))}
        </div>
      )}
      {detail && detail.history.length > 0 && (
        <>
          <h3>{words.history}</h3>
          <ol className="studio-history">
            {detail.history.map((event, at) => (
              <li key={at}>
                <Time of={event.time} /> {event.actor}：{words.events[event.kind]}
                {event.comment && <span className="quiet"> {event.comment}</span>}
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
