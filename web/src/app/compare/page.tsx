"use client";

import { useRouter } from "next/navigation";
import type { Artifact } from "@/api/model";
import { artifactAddress } from "@/api/runs";
import { useRun } from "@/api/useRun";
import { CompareStart, WORKFLOW } from "@/compare/CompareStart";
import { COMPARE } from "@/compare/words";
import { useWords } from "@/preferences/language";
import { Recent } from "@/questions/Recent";
import { RunActions, RunView, StatusTag } from "@/runs/RunView";
import { useParameter } from "@/shell/address";
import { Icon } from "@/shell/Icon";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import "@/styles/questions.css";
import "@/styles/compare.css";

const TO_TAKE = /\.(docx|xlsx)$/;

export default function ComparePage() {
  const words = useWords(COMPARE);
  const shell = useWords(SHELL);
  const [runId, open] = useParameter("run");
  const [fresh] = useParameter("new");
  if (runId !== null) return <OneComparison key={runId} runId={runId} />;
  return (
    <Page title={words.heading} tabTitle={shell.compare} lead={words.lead}>
      <CompareStart key={fresh} onStarted={(run) => open(run.run_id)} />
      <Recent workflow={WORKFLOW} title={words.recent} />
    </Page>
  );
}

function OneComparison({ runId }: { runId: string }) {
  const words = useWords(COMPARE);
  const shell = useWords(SHELL);
  const router = useRouter();
  const watched = useRun(runId);
  const files = watched.run?.artifacts.filter((file) => TO_TAKE.test(file.name)) ?? [];
  return (
    <Page
      title={watched.run?.title || shell.compare}
      width="full"
      lead={watched.status && <StatusTag status={watched.status} />}
      actions={
        <>
          <TakeAlong runId={runId} files={files} />
          <RunActions watched={watched} />
          <button type="button" className="button small" onClick={() => router.push("/compare")}>
            <Icon name="plus" />
            {words.newOne}
          </button>
        </>
      }
    >
      <RunView watched={watched} />
    </Page>
  );
}

/** There from the beginning, so that nothing moves when there is something to take. */
function TakeAlong({ runId, files }: { runId: string; files: readonly Artifact[] }) {
  const words = useWords(COMPARE);
  return (
    <details className="menu" aria-disabled={files.length === 0 || undefined}>
      <summary className="button small">
        <Icon name="download" />
        {words.takeAlong}
      </summary>
      {files.length > 0 && (
        <div className="menu-inside">
          {files.map((file) => (
            <a key={file.artifact_id} href={artifactAddress(runId, file.artifact_id)} download={file.name}>
              {file.name}
            </a>
          ))}
        </div>
      )}
    </details>
  );
}
