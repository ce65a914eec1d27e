"use client";

import Link from "next/link";
import { useCallback } from "react";
import type { PlanState, PlanVersion, PlanVersionDetail } from "@/api/model";
import { listVersions, readVersion } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
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

/** All versions of a plan, and what happened to the one that is open. `round` asks anew. */
export function Versions({ planId, open, round }: { planId: string; open: PlanVersion | null; round: number }) {
  const words = useWords(STUDIO);
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
              <Link href={studioAddress(`${each.plan_id}@${each.version}`)} prefetch={false}>
                {words.openVersion}
              </Link>
            )}
          </li>
        ))}
      </ul>
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
