"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Decision, DryRun, Finding, PlanVersion, Run } from "@/api/model";
import { decideVersion, dryRunPlan, groupNodes, migratePlan, renameNode, saveVersion, validatePlan } from "@/api/plans";
import { startRun } from "@/api/runs";
import { useLanguage, useWords } from "@/preferences/language";
import { planAddress } from "@/plans/PlansPage";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { addressOf } from "@/shell/places";
import { BlockPalette } from "./BlockPalette";
import type { Catalogue } from "./catalogue";
import { nextVersion, type Opened } from "./draft";
import type { EditorHandle } from "./Editor";
import { NodeForm } from "./NodeForm";
import { freshId, readPlan, titleOf, type PlanEdge, type PlanNode, type PlanView } from "./planText";
import type { Proposed } from "./Proposal";
import { samplesOfDryRun, type Samples } from "./samples";
import { startTrial } from "./trialRun";
import { useFindings } from "./useFindings";
import { StateTag, Versions } from "./Versions";
import { STUDIO } from "./words";
import { appendTo, changed, NotEditable, removeAt, setAt, smallest, type Change, type Path, type Value } from "./yamlText";

// Both are large, and nothing of them is needed on any other page.
const Editor = dynamic(() => import("./Editor"), { ssr: false, loading: Loading });
const Grouping = dynamic(() => import("./Grouping"), { ssr: false, loading: Loading });
const Generate = dynamic(() => import("./Generate"), { ssr: false, loading: Loading });
const Proposal = dynamic(() => import("./Proposal"), { ssr: false, loading: Loading });
const Trial = dynamic(() => import("./Trial"), { ssr: false, loading: Loading });
const Canvas = dynamic(() => import("./Canvas").then((module) => module.Canvas), { ssr: false, loading: Loading });

const TABS = ["both", "yaml", "graph"] as const;
const isNarrow = (): boolean => window.matchMedia("(max-width: 64rem)").matches;

interface Notice {
  tone: "good" | "caution";
  text: string;
}

interface Props {
  opened: Opened;
  catalogue: Catalogue;
  /** The address then names what was saved. */
  onSaved: (name: string) => void;
}

/** A plan as text and as graph, always in step: whatever is done, the text is edited, and all else is read from it. */
export function Studio({ opened, catalogue, onSaved }: Props) {
  const words = useWords(STUDIO);
  const language = useLanguage();
  const editor = useRef<EditorHandle>(null);
  const [text, setText] = useState(opened.text);
  const [kept, setKept] = useState({ text: opened.version ? opened.text : "", version: opened.version });
  const [tab, setTab] = useState<(typeof TABS)[number]>("both");
  const [chosen, setChosen] = useState<string | null>(null);
  const [dryRun, setDryRun] = useState<{ of: string; report: DryRun } | null>(null);
  const [values, setValues] = useState<{ of: string; samples: Samples } | null>(null);
  const [trial, setTrial] = useState<{ of: string; runId: string; until: string; run: Run | null } | null>(null);
  const [notice, setNotice] = useState<Notice | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const [isGenerating, setGenerating] = useState(opened.version === null && readPlan(opened.text).nodes.length === 0);
  const [marked, setMarked] = useState<readonly string[]>([]);
  const [proposed, setProposed] = useState<Proposed | null>(null);
  const { findings, isChecking } = useFindings(text);
  // Those of plans that it calls have their places in other files.
  const own = useMemo(() => findings.filter((each) => !each.file), [findings]);
  const now = useMemo(() => readPlan(text), [text]);
  const whole = useRef<PlanView>(now);
  if (now.isWhole) whole.current = now;
  const view = whole.current;
  const isDirty = text !== kept.text;
  const isNew = view.nodes.length === 0 && kept.version === null;
  const report = dryRun?.of === text ? dryRun.report : null;
  const samples = values?.of === text ? values.samples : null;
  const node = view.nodes.find((each) => each.key === chosen) ?? null;
  const state = useRef({ text, view, findings });
  state.current = { text, view, findings };

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isDirty]);

  /** The one way in for every edit that is not typed. */
  const edit = useCallback(
    (make: (text: string) => Change, check?: (after: string) => Promise<Notice | null>) => {
      const before = state.current.text;
      setNotice(null);
      try {
        const change = make(before);
        if (!check) return editor.current?.apply(change);
        void check(changed(before, change)).then(
          (refusal) => {
            if (refusal) setNotice(refusal);
            else if (state.current.text === before) editor.current?.apply(change);
          },
          (error: unknown) => setProblem(problemFrom(error)),
        );
      } catch (error) {
        if (!(error instanceof NotEditable)) throw error;
        setNotice({ tone: "caution", text: words.notEditable });
      }
    },
    [words],
  );
  const add = useCallback(
    (block: string, into: string) => {
      const { view: current } = state.current;
      const id = freshId(current, block);
      const around = current.nodes.find((each) => each.key === into);
      const sibling = current.nodes.find((each) => each.parent === into);
      const list: Path = sibling ? sibling.path.slice(0, -1) : [...(around ? [...around.path, "body", "plan"] : []), "graph"];
      edit((before) => appendTo(before, list, { id, block }));
      setChosen(into ? `${into}/${id}` : id);
      setNotice({ tone: "good", text: words.added(id) });
    },
    [edit, words],
  );
  const connect = useCallback(
    ({ source, output, target, input }: PlanEdge) => {
      const { view: current, text: before } = state.current;
      const [from, to] = [current.nodes.find((each) => each.key === source), current.nodes.find((each) => each.key === target)];
      if (!from || !to) return;
      // Whether types fit is the validator's to say: it knows schemas, and its words are those of the findings.
      const check = async (after: string): Promise<Notice | null> => {
        const [old, found] = await Promise.all([validatePlan(before), validatePlan(after)]);
        const known = new Set(old.findings.map((each) => each.code + each.node + each.message));
        const refusals = found.findings.filter((each) => each.severity === "error" && !known.has(each.code + each.node + each.message));
        return refusals.length > 0 ? { tone: "caution", text: `${words.refused}：${refusals.map((each) => each.message).join(" ")}` } : null;
      };
      edit((written) => setAt(written, [...to.inputsAt, input], `\${${from.id}.${output}}`), check);
    },
    [edit, words],
  );
  const disconnect = useCallback(
    ({ target, input }: PlanEdge) => {
      const to = state.current.view.nodes.find((each) => each.key === target);
      const given = to?.inputs[input];
      if (to && typeof given === "string" && /^\$\{[^{}]*\}$/.test(given)) edit((before) => removeAt(before, [...to.inputsAt, input]));
      else setNotice({ tone: "caution", text: words.cannotCut });
    },
    [edit, words],
  );
  const remove = useCallback(
    (gone: PlanNode) => {
      edit((before) => removeAt(before, gone.path));
      setChosen(null);
    },
    [edit],
  );
  const set = (path: Path, value: Value | undefined) => edit((before) => (value === undefined ? removeAt(before, path) : setAt(before, path, value)));
  const select = useCallback((key: string | null) => {
    setChosen(key);
    const found = state.current.view.nodes.find((each) => each.key === key);
    if (found) editor.current?.reveal(found.offset);
  }, []);

  /** As in the text, but not where somebody types into a field, which has an undo of its own. */
  const onKey = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    const key = event.key.toLowerCase();
    if (isTyping || !(event.ctrlKey || event.metaKey) || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) editor.current?.redo();
    else editor.current?.undo();
  };
  const act = async (doing: () => Promise<void>) => {
    setProblem(null);
    setNotice(null);
    try {
      await doing();
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };
  const tryOut = () =>
    act(async () => {
      const made = await dryRunPlan(text);
      setDryRun({ of: text, report: made });
      setValues({ of: text, samples: samplesOfDryRun(made) });
      const faults = made.findings.filter((each) => each.severity === "error").length;
      setNotice(made.valid ? { tone: "good", text: words.dryRunFine } : { tone: "caution", text: words.dryRunFaults(faults) });
    });
  /** What is there is replaced at once only where nothing is. */
  const propose = (next: Proposed) => {
    const written = { ...next, text: next.text.replaceAll("\r\n", "\n") };
    if (view.nodes.length > 0) setProposed(written);
    else take(written.text);
  };
  const take = (next: string) => {
    editor.current?.apply(smallest(text, { from: 0, to: text.length, insert: next }));
    setProposed(null);
    setGenerating(false);
    setNotice({ tone: "good", text: words.taken });
  };
  const migrate = () =>
    act(async () => {
      const made = await migratePlan(text);
      if (made.forms.length > 0) propose({ text: made.text, notes: made.left });
      else setNotice({ tone: "caution", text: made.left.join(" ") || words.nothingToMigrate });
    });
  /** References follow it: which those are, the server knows. */
  const rename = (named: PlanNode, to: string) =>
    act(async () => {
      const made = (await renameNode(text, named.key, to)).text;
      editor.current?.apply(smallest(text, { from: 0, to: text.length, insert: made }));
      setChosen(named.parent ? `${named.parent}/${to}` : to);
      setNotice({ tone: "good", text: words.renamed(named.id, to) });
    });
  const mark = useCallback((key: string) => setMarked((before) => (before.includes(key) ? before.filter((each) => each !== key) : [...before, key])), []);
  const group = (name: string, over: string) =>
    act(async () => {
      const made = await groupNodes(text, marked, name, over);
      // What is called is there before anything calls it.
      if (made.called) await saveVersion(made.called);
      editor.current?.apply(smallest(text, { from: 0, to: text.length, insert: made.text }));
      setMarked([]);
      setChosen(name);
      setNotice({ tone: "good", text: made.called ? words.groupedInto(made.called_id ?? "") : words.grouped(name) });
    });
  const markedNodes = view.nodes.filter((each) => marked.includes(each.key));
  const isEarlier = view.nodes.some((each) => each.block.startsWith("ui.") && catalogue.of(each.block)?.deprecated);
  const runUpTo = (until: string, before: Run | null) =>
    act(async () => {
      const run = await startTrial(text, until, before);
      setTrial({ of: text, runId: run.run_id, until, run: null });
      setValues(null);
    });
  const onStop = (run: Run, found: Samples) => {
    if (trial?.runId !== run.run_id) return;
    setTrial({ ...trial, run });
    setValues({ of: trial.of, samples: found });
  };
  const taken = (version: PlanVersion, textKept: string) => {
    setKept({ text: textKept, version });
    setRound((count) => count + 1);
    onSaved(`${version.plan_id}@${version.version}`);
  };
  const save = () =>
    act(async () => {
      const version = await saveVersion(text.replaceAll("\n", opened.lineEnd));
      taken(version, text);
      setNotice({ tone: "good", text: words.saved(version.version) });
    });
  const decide = (decision: Decision, comment: string) =>
    act(async () => {
      if (!kept.version) return;
      taken(await decideVersion(kept.version.plan_id, kept.version.version, decision, comment), text);
      setNotice({ tone: "good", text: words.decided[decision] });
    });
  const isFrozen = kept.version !== null && kept.version.state !== "draft" && view.id === kept.version.plan_id && view.version === kept.version.version;
  return (
    <Page title={isNew ? words.newTitle : titleOf(view, language)} lead={isNew ? undefined : view.id} width="full" actions={view.id && !isNew ? <PlanLink planId={view.id} /> : undefined}>
      <div className="studio" data-tab={tab}>
        <div className="studio-bar" role="toolbar" aria-label={words.tools}>
          <button type="button" className="button small" onClick={() => editor.current?.undo()}>
            {words.undo}
          </button>
          <button type="button" className="button small" onClick={() => editor.current?.redo()}>
            {words.redo}
          </button>
          <Busy label={words.dryRun} busy={words.dryRunning} act={tryOut} />
          <button type="button" className="button small" aria-expanded={isGenerating} onClick={() => setGenerating(!isGenerating)}>
            <Icon name="sparkle" />
            {words.generate}
          </button>
          {isEarlier && <Busy label={words.migrate} busy={words.dryRunning} act={migrate} />}
          <span className="spring" />
          <span className="quiet">
            {words.versionLabel} {view.version}
          </span>
          {kept.version && !isDirty ? <StateTag state={kept.version.state} /> : <span className="tag" data-tone="caution">{words.unsaved}</span>}
          <Busy label={words.save} busy={words.saving} act={save} isPrimary isDisabled={!isDirty || isFrozen} />
          {kept.version && !isDirty && <Decisions version={kept.version} onDecide={decide} onProblem={setProblem} />}
        </div>
        {problem && <ProblemNote problem={problem} />}
        <div role="status" className="studio-notice">
          {notice && (
            <p className="notice" data-tone={notice.tone}>
              {notice.text}
            </p>
          )}
          {isFrozen && isDirty && (
            <p className="notice">
              {words.frozen(view.version)}{" "}
              <button type="button" className="button small" onClick={() => set(["version"], nextVersion(view.version, []))}>
                {words.nextVersion(nextVersion(view.version, []))}
              </button>
            </p>
          )}
          {!now.isWhole && <p className="notice">{words.notWhole}</p>}
        </div>
        {proposed && <Proposal text={text} proposed={proposed} onTake={() => take(proposed.text)} onClose={() => setProposed(null)} />}
        {isGenerating && <Generate planId={view.nodes.length > 0 ? view.id : ""} text={view.nodes.length > 0 ? text : ""} onMade={(made) => propose({ text: made, notes: [] })} onClose={() => setGenerating(false)} />}
        <div className="studio-tabs" role="tablist" aria-label={words.tabs}>
          {TABS.map((name) => (
            <button key={name} type="button" role="tab" data-name={name} aria-selected={tab === name} className="plain" onClick={() => setTab(name)}>
              {words[name]}
            </button>
          ))}
        </div>
        {markedNodes.length > 0 && <Grouping view={view} nodes={markedNodes} onGroup={group} onLeave={mark} onClear={() => setMarked([])} />}
        <div className="studio-panes">
          <section className="studio-yaml" aria-label={words.yaml}>
            <Editor text={opened.text} findings={own} catalogue={catalogue} view={view} onChange={setText} handle={editor} />
          </section>
          <section className="studio-graph" aria-label={words.graph} onKeyDown={onKey}>
            <BlockPalette catalogue={catalogue} onAdd={(block) => add(block, "")} />
            <Canvas view={view} catalogue={catalogue} findings={findings} samples={samples} marked={marked} mark={mark} chosen={chosen} isReadOnly={!now.isWhole} select={select} connect={connect} disconnect={disconnect} remove={remove} add={add} />
            {node && (
              <NodeForm
                key={node.key}
                text={text}
                view={view}
                node={node}
                catalogue={catalogue}
                findings={findings.filter((each) => each.node === node.key)}
                values={samples?.get(node.key) ?? null}
                isReadOnly={!now.isWhole}
                onSet={set}
                isMarked={marked.includes(node.key)}
                onMark={node.parent ? null : () => mark(node.key)}
                onRename={(to) => void rename(node, to)}
                onRunUpTo={node.parent || !now.isWhole ? null : () => void runUpTo(node.id, trial?.run ?? null)}
                onRemove={() => remove(node)}
                onClose={() => setChosen(null)}
              />
            )}
          </section>
        </div>
        {trial && (
          <Trial
            key={trial.runId}
            runId={trial.runId}
            title={titleOf(view.nodes.find((each) => each.key === trial.until) ?? { id: trial.until, title: "" }, language)}
            onStop={onStop}
            onFresh={() => void runUpTo(trial.until, null)}
            onClose={() => setTrial(null)}
          />
        )}
        <FindingList findings={report?.findings ?? findings} isChecking={isChecking} onOpen={(line) => {
          setTab((before) => (before === "both" && !isNarrow() ? before : "yaml"));
          editor.current?.revealLine(line);
        }} />
        <Versions planId={view.id} text={text} open={isDirty ? null : kept.version} round={round} />
      </div>
    </Page>
  );
}

function PlanLink({ planId }: { planId: string }) {
  return (
    <Link className="button small" href={planAddress(planId)} prefetch={false}>
      <Icon name="back" />
      {useWords(STUDIO).toPlan}
    </Link>
  );
}

interface BusyProps {
  label: string;
  busy: string;
  act: () => Promise<void>;
  isPrimary?: boolean;
  isDisabled?: boolean;
}

function Busy({ label, busy, act, isPrimary = false, isDisabled = false }: BusyProps) {
  const [isBusy, setBusy] = useState(false);
  const start = () => {
    setBusy(true);
    void act().finally(() => setBusy(false));
  };
  return (
    <button type="button" className={isPrimary ? "button small primary" : "button small"} disabled={isBusy || isDisabled} onClick={start}>
      {isBusy ? busy : label}
    </button>
  );
}

const NEXT: Readonly<Record<PlanVersion["state"], readonly Decision[]>> = {
  draft: ["submit"],
  in_review: ["approve", "return"],
  approved: ["retire"],
  retired: [],
};

/** What can be done with a kept version: its state says what, the server says who. */
function Decisions({ version, onDecide, onProblem }: { version: PlanVersion; onDecide: (decision: Decision, comment: string) => Promise<void>; onProblem: (problem: Problem) => void }) {
  const words = useWords(STUDIO);
  const router = useRouter();
  const [comment, setComment] = useState("");
  const run = async () => {
    try {
      router.push(addressOf(await startRun({ workflow: "plan", input: { plan_id: `${version.plan_id}@${version.version}` } })));
    } catch (error) {
      onProblem(problemFrom(error));
    }
  };
  return (
    <>
      {version.state === "in_review" && (
        <input type="text" className="studio-comment" aria-label={words.comment} placeholder={words.commentHint} value={comment} onChange={(event) => setComment(event.target.value)} />
      )}
      {NEXT[version.state].map((decision) => (
        <Busy key={decision} label={words.decisions[decision]} busy={words.saving} act={() => onDecide(decision, comment)} isPrimary={decision === "approve" || decision === "submit"} />
      ))}
      {version.state !== "retired" && <Busy label={words.run} busy={words.run} act={run} isPrimary={version.state === "approved"} />}
    </>
  );
}

function FindingList({ findings, isChecking, onOpen }: { findings: readonly Finding[]; isChecking: boolean; onOpen: (line: number) => void }) {
  const words = useWords(STUDIO);
  return (
    <section className="section" aria-label={words.findings} aria-busy={isChecking}>
      <h2>{words.findings}</h2>
      {findings.length === 0 && <p className={isChecking ? "quiet" : "fine"}>{isChecking ? words.checking : words.clean}</p>}
      <ul className="findings">
        {findings.map((finding, at) => (
          <li key={at} className="problem" data-tone={finding.severity === "error" ? "bad" : "caution"}>
            <Icon name="warning" />
            <div>
              <p className="problem-message">{finding.message}</p>
              {finding.hint && <p>{finding.hint}</p>}
              {finding.file ? (
                <p className="quiet">
                  {finding.file} · {words.line(finding.line ?? 1)}
                </p>
              ) : (
                <button type="button" className="link" onClick={() => onOpen(finding.line ?? 1)}>
                  {words.line(finding.line ?? 1)}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
