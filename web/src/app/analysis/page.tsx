"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import type { FileRef, JsonObject, Part, Run, RunSummary } from "@/api/model";
import { readRun, readWorkflow } from "@/api/runs";
import { startedRun } from "@/api/started";
import { useAnswer, type Answer } from "@/api/useAnswer";
import type { WatchedRun } from "@/api/useRun";
import { AnalysisBox, Suggestions, useAsking, WORKFLOW } from "@/analysis/AnalysisBox";
import { Reading } from "@/analysis/Reading";
import { resultOf } from "@/analysis/result";
import { TableCard } from "@/analysis/TableCard";
import { useChosenTable, usePreview } from "@/analysis/useTable";
import { ANALYSIS } from "@/analysis/words";
import { FilePicker } from "@/forms/FilePicker";
import { SampleButton } from "@/home/SampleButton";
import { useWords } from "@/preferences/language";
import { Recent } from "@/questions/Recent";
import { Turns, useTurns } from "@/questions/Turns";
import { useParameter } from "@/shell/address";
import { takeOver } from "@/shell/handover";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import "@/styles/questions.css";
import "@/styles/analysis.css";

export default function AnalysisPage() {
  const [conversation, open] = useParameter("conversation");
  const [fresh] = useParameter("new");
  if (conversation === null) return <Start key={fresh} onStarted={open} />;
  return <Conversation key={conversation} id={conversation} />;
}

/** A table is chosen and looked at; the first question begins the conversation. */
function Start({ onStarted }: { onStarted: (conversation: string) => void }) {
  const words = useWords(ANALYSIS);
  const shell = useWords(SHELL);
  const [table, change] = useChosenTable();
  const [given] = useState(() => takeOver("analysis"));
  const preview = usePreview(table);
  const workflow = useAnswer(readAnalysis);
  const accept = workflow.value?.requirements.find((field) => field.id === "file")?.accept;
  const isReady = accept !== undefined || workflow.problem !== null; // both at once: neither pushes the other away
  const starting = useAsking(table, undefined, (run: Run) => onStarted(run.conversation_id));
  return (
    <Page title={words.heading} tabTitle={shell.analysis} lead={words.lead} actions={<SampleButton workflow={WORKFLOW} />}>
      <div className="start">
        {accept !== undefined && (
          <FilePicker
            id="table-file"
            label={words.file}
            files={table.file ? [table.file] : []}
            onFiles={([file]) => change({ file: file ?? null, sheet: "", asWritten: [] })}
            accept={accept}
            workflow={WORKFLOW}
            isSmall={table.file !== null}
            given={given}
          />
        )}
        {preview.problem && <ProblemNote problem={preview.problem} retry={preview.again} />}
        {table.file && preview.value === null && !preview.problem && <p className="loading">{words.reading}</p>}
        {preview.value && <TableCard preview={preview.value} table={table} onChange={change} />}
        {workflow.problem && <ProblemNote problem={workflow.problem} retry={workflow.again} />}
        {isReady && (table.file === null || preview.value) && (
          <AnalysisBox draftKey="web:analysis:new" placeholder={words.placeholder} starting={starting} blocked={preview.value ? undefined : words.noFile} />
        )}
        {preview.value && <Suggestions title={words.try} questions={preview.value.suggestions} onAsk={(question) => void starting.ask(question)} />}
        <p className="quiet">{words.kept}</p>
      </div>
      <Recent workflow={WORKFLOW} title={words.recent} />
    </Page>
  );
}

const readAnalysis = (signal: AbortSignal) => readWorkflow(WORKFLOW, signal);

/** Parts that the page says in its own way: chips, readings and questions to click. */
const isOwn = (part: Part): boolean => ["reading", "readings", "suggestions"].includes(part.id);

function Conversation({ id }: { id: string }) {
  const words = useWords(ANALYSIS);
  const shell = useWords(SHELL);
  const router = useRouter();
  const turns = useTurns(id);
  const runs = turns.value ?? [];
  const first = useFirst(runs);
  const [table, change] = useChosenTable();
  const asked = first.value;
  useEffect(() => {
    const given = asked?.input["file"] as unknown as FileRef | null | undefined;
    if (!asked || !given) return;
    change({ file: given, sheet: String(asked.input["sheet"] ?? ""), asWritten: (asked.input["as_written"] ?? []) as string[] });
  }, [asked, change]);
  const preview = usePreview(table);
  const starting = useAsking(null, id, turns.again);
  const { ask } = starting;
  const askAgain = useCallback((question: string, specs: readonly JsonObject[] = []) => void ask(question, specs), [ask]);
  const columns = preview.value?.columns.map((column) => column.name) ?? [];
  const beside = (watched: WatchedRun) => {
    if (watched.run?.result) return <Reading run={watched.run} columns={columns} onAsk={askAgain} />;
    return watched.run?.problem ? null : <div className="reading" />; // its place: what follows is not pushed away
  };
  const after = (watched: WatchedRun, isLast: boolean) =>
    isLast && watched.run ? (
      <Suggestions title={words.next} questions={resultOf(watched.run)?.suggestions ?? []} onAsk={(question) => askAgain(question)} />
    ) : null;
  return (
    <Page
      isConversation
      title={preview.value?.name ?? shell.analysis}
      tabTitle={runs[0]?.title || shell.analysis}
      actions={
        <button type="button" className="button small" onClick={() => router.push("/analysis")}>
          <Icon name="plus" />
          {words.newOne}
        </button>
      }
    >
      {turns.problem && <ProblemNote problem={turns.problem} retry={turns.again} />}
      {turns.value === null && !turns.problem && <Loading />}
      <div className="table-card-space">
        {preview.value && <TableCard preview={preview.value} table={table} onChange={change} isOpen={false} isFixed />}
        {preview.problem && (
          <p className="notice">
            {words.gone} <Link href="/analysis">{words.newOne}</Link>
          </p>
        )}
      </div>
      <div className="conversation-turns">
        <Turns runs={runs} without={isOwn} beside={beside} after={after} />
        {runs.length > 0 && <p className="quiet">{words.kept}</p>}
      </div>
      {runs.length > 0 && (
        <div className="composer">
          <AnalysisBox draftKey={`web:analysis:${id}`} placeholder={words.follow} starting={starting} />
        </div>
      )}
    </Page>
  );
}

function useFirst(runs: readonly RunSummary[]): Answer<Run> {
  const firstId = runs[0]?.run_id;
  const ask = useCallback(
    async (signal: AbortSignal) => startedRun(firstId ?? "") ?? (await readRun(firstId ?? "", signal)),
    [firstId],
  );
  return useAnswer(firstId === undefined ? null : ask);
}
