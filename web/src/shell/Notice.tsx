"use client";

import type { ReactNode } from "react";
import type { Problem } from "@/api/client";
import { useWords } from "@/preferences/language";
import { Icon } from "./Icon";
import { SHELL } from "./words";

/** What happened and what to do; `retry` where trying again may help. */
export function ProblemNote({
  problem,
  retry,
  children,
}: {
  problem: Pick<Problem, "message" | "hint">;
  retry?: (() => void) | undefined;
  children?: ReactNode;
}) {
  const words = useWords(SHELL);
  return (
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p className="problem-message">{problem.message}</p>
        {problem.hint && <p>{problem.hint}</p>}
        {retry && (
          <button type="button" className="button small" onClick={retry}>
            <Icon name="again" />
            {words.retry}
          </button>
        )}
        {children}
      </div>
    </div>
  );
}

export function Loading() {
  return (
    <p className="loading" role="status">
      {useWords(SHELL).loading}
    </p>
  );
}

/** An empty list, and what would fill it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}
