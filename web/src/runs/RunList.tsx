"use client";

import Link from "next/link";
import type { RunSummary } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { addressOf, iconOf } from "@/shell/places";
import { Time } from "@/shell/Time";
import { StatusTag } from "./RunView";
import { RUNS } from "./words";

/** Runs as lines; each is a link as a whole. */
export function RunList({ runs, current }: { runs: readonly RunSummary[]; current?: string | null }) {
  const words = useWords(RUNS);
  return (
    <ul className="run-list">
      {runs.map((run) => (
        <li key={run.run_id}>
          <Link href={addressOf(run)} prefetch={false} aria-current={current === run.run_id ? "true" : undefined}>
            <Icon name={iconOf(run.workflow)} />
            <span className="run-title">{run.title || words.untitled}</span>
            <StatusTag status={run.status} warnings={run.warnings} />
            <span className="quiet">
              <Time of={run.created_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
