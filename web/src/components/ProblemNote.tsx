"use client";

import type { Problem } from "@/api/client";
import { useTexts } from "@/preferences/language";
import { Icon } from "./Icon";

type Told = Pick<Problem, "message" | "hint"> & { status?: number };

/** What went wrong and what to do about it, in the server's own words. */
export function ProblemNote({ problem, retry }: { problem: Told; retry?: () => void }) {
  const texts = useTexts();
  const here = typeof window === "undefined" ? "/" : window.location.pathname + window.location.search;
  return (
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p className="problem-message">{problem.message}</p>
        {problem.hint && <p>{problem.hint}</p>}
        {problem.status === 401 && (
          <p>
            <a href={`/login?next=${encodeURIComponent(here)}`}>{texts.problem.login}</a>
          </p>
        )}
        {retry && problem.status !== 401 && (
          <button type="button" className="button small" onClick={retry}>
            {texts.problem.retry}
          </button>
        )}
      </div>
    </div>
  );
}
