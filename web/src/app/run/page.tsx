"use client";

import { useRun } from "@/api/useRun";
import { useWords } from "@/preferences/language";
import { RunActions, RunView, StatusTag } from "@/runs/RunView";
import { RUNS } from "@/runs/words";
import { useParameter } from "@/shell/address";
import { Empty } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";

/** Any run of any workflow, by its parts alone. */
export default function RunPage() {
  const words = useWords(RUNS);
  const shell = useWords(SHELL);
  const [runId] = useParameter("run");
  const watched = useRun(runId);
  const title = watched.run?.title || (watched.run ? words.untitled : shell.run);
  if (runId === null) {
    return (
      <Page title={shell.run}>
        <Empty title={words.noRun} />
      </Page>
    );
  }
  return (
    <Page title={title} lead={watched.status && <StatusTag status={watched.status} warnings={watched.run?.warnings.length} />} actions={<RunActions watched={watched} />}>
      <RunView watched={watched} />
    </Page>
  );
}
