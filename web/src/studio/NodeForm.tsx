"use client";

import { useEffect, useId, useState } from "react";
import type { Finding, Json, Port } from "@/api/model";
import { useLanguage, useWords } from "@/preferences/language";
import { FORMS } from "@/forms/words";
import { Icon } from "@/shell/Icon";
import { SHELL } from "@/shell/words";
import { choicesOf, isLong, isText, type Catalogue } from "./catalogue";
import { earlierThan, titleOf, type PlanNode, type PlanView } from "./planText";
import type { StepValues } from "./samples";
import { STUDIO } from "./words";
import { NotEditable, readValue, sourceAt, type Path, type Value } from "./yamlText";

interface Props {
  text: string;
  view: PlanView;
  node: PlanNode;
  catalogue: Catalogue;
  findings: readonly Finding[];
  values: StepValues | null;
  isReadOnly: boolean;
  /** `undefined` takes it out. */
  onSet: (path: Path, value: Value | undefined) => void;
  isMarked: boolean;
  /** To be put together with others; not for one inside a loop. */
  onMark: (() => void) | null;
  onRename: (to: string) => void;
  /** Not for one inside a loop: that has no single value. */
  onRunUpTo: (() => void) | null;
  onRemove: () => void;
  onClose: () => void;
}

const LONGEST = 400;

/** A step: what it is given, by a form made from its block's ports; what is wrong with it; what the dry run gave. */
export function NodeForm({ text, view, node, catalogue, findings, values, isReadOnly, onSet, isMarked, onMark, onRename, onRunUpTo, onRemove, onClose }: Props) {
  const words = useWords(STUDIO);
  const shell = useWords(SHELL);
  const language = useLanguage();
  const block = catalogue.of(node.block);
  const title = titleOf(node, language);
  const titlePath = typeof node.title === "string" ? [...node.path, "title"] : [...node.path, "title", language];
  return (
    <aside className="node-panel studio-form" aria-label={title}>
      <div className="panel-top">
        <h2>{title}</h2>
        <span className="spring" />
        {!isReadOnly && (
          <button type="button" className="plain" aria-label={words.remove(title)} onClick={onRemove}>
            <Icon name="trash" />
          </button>
        )}
        <button type="button" className="plain" aria-label={shell.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {onRunUpTo && (
        <button type="button" className="button small" onClick={onRunUpTo}>
          <Icon name="play" />
          {words.runUpTo}
        </button>
      )}
      {onMark && !isReadOnly && (
        <label className="studio-mark">
          <input type="checkbox" checked={isMarked} onChange={onMark} /> {words.mark}
        </label>
      )}
      {block && <p className="quiet">{block.description}</p>}
      {block?.deprecated && <p className="notice">{block.deprecated}</p>}
      {findings.map((finding, at) => (
        <p key={at} className="problem" data-tone={finding.severity === "error" ? "bad" : "caution"}>
          {finding.message}
        </p>
      ))}
      <Entry label={words.nodeId} written={node.id} isReadOnly={isReadOnly} onDone={(typed) => typed.trim() && onRename(typed.trim())} />
      <Entry label={words.title} written={title === node.id ? "" : title} isReadOnly={isReadOnly} onDone={(typed) => onSet(titlePath, typed || undefined)} />
      {Object.entries(block?.inputs ?? {}).map(([name, port]) => (
        <PortField key={name} name={name} port={port} written={sourceAt(text, [...node.inputsAt, name])} view={view} node={node} catalogue={catalogue} isReadOnly={isReadOnly} onSet={(value) => onSet([...node.inputsAt, name], value)} />
      ))}
      {node.kind !== "block" && <p className="quiet">{words.inYaml}</p>}
      {values && (
        <>
          <h3>{words.sampleValues}</h3>
          <Values title={words.given} values={values.inputs} />
          <Values title={words.gives} values={values.outputs} />
        </>
      )}
    </aside>
  );
}

interface PortProps {
  name: string;
  port: Port;
  written: string;
  view: PlanView;
  node: PlanNode;
  catalogue: Catalogue;
  isReadOnly: boolean;
  onSet: (value: Value | undefined) => void;
}

function PortField({ name, port, written, view, node, catalogue, isReadOnly, onSet }: PortProps) {
  const words = useWords(STUDIO);
  const forms = useWords(FORMS);
  const [isUnreadable, setUnreadable] = useState(false);
  const choices = choicesOf(port);
  const plain = unquoted(written, port);
  const done = (typed: string) => {
    setUnreadable(false);
    if (typed.trim() === "") return onSet(undefined);
    try {
      onSet(isText(port) && !/^[{[]/.test(typed.trim()) ? typed : readValue(typed));
    } catch (error) {
      if (!(error instanceof NotEditable)) throw error;
      setUnreadable(true);
    }
  };
  const isReference = plain.startsWith("${");
  return (
    <div className="studio-port">
      {choices.length > 0 && !isReference ? (
        <Choice label={name} note={port.required ? forms.required : ""} choices={choices} written={plain} isReadOnly={isReadOnly} onDone={done} />
      ) : (
        <Entry label={name} note={port.required ? forms.required : ""} written={plain} isLong={isLong(port) && !isReference} isReadOnly={isReadOnly} placeholder={port.default === null || port.default === undefined ? "" : JSON.stringify(port.default)} onDone={done} />
      )}
      <p className="quiet">
        {port.type}
        {port.description && ` · ${port.description}`}
      </p>
      {isUnreadable && <p className="problem">{words.unreadableValue}</p>}
      {!isReadOnly && <ReferencePicker name={name} view={view} node={node} catalogue={catalogue} onPick={(reference) => onSet(reference)} />}
    </div>
  );
}

/** A text as a person reads it, where it is one. */
function unquoted(written: string, port: Port): string {
  if (!/^["']/.test(written)) return written;
  try {
    const value = readValue(written);
    return typeof value === "string" && (isText(port) || value.startsWith("${")) ? value : written;
  } catch {
    return written;
  }
}

interface EntryProps {
  label: string;
  note?: string;
  written: string;
  isLong?: boolean;
  isReadOnly: boolean;
  placeholder?: string;
  onDone: (typed: string) => void;
}

/** One edit of the text for what was typed as a whole, so that one undo takes it back. */
function Entry({ label, note = "", written, isLong: hasLines = false, isReadOnly, placeholder = "", onDone }: EntryProps) {
  const id = useId();
  const [typed, setTyped] = useState(written);
  useEffect(() => setTyped(written), [written]);
  const finish = () => typed !== written && onDone(typed);
  const shared = { id, value: typed, placeholder, readOnly: isReadOnly, spellCheck: false, onBlur: finish };
  return (
    <div className="studio-entry">
      <Label id={id} label={label} note={note} />
      {hasLines || typed.includes("\n") ? (
        <textarea {...shared} rows={Math.min(8, typed.split("\n").length + 1)} onChange={(event) => setTyped(event.target.value)} />
      ) : (
        <input {...shared} type="text" onChange={(event) => setTyped(event.target.value)} onKeyDown={(event) => event.key === "Enter" && !event.nativeEvent.isComposing && finish()} />
      )}
    </div>
  );
}

function Choice({ label, note, choices, written, isReadOnly, onDone }: { label: string; note: string; choices: readonly string[]; written: string; isReadOnly: boolean; onDone: (typed: string) => void }) {
  const id = useId();
  const offered = !written || choices.includes(written) ? choices : [written, ...choices];
  return (
    <div className="studio-entry">
      <Label id={id} label={label} note={note} />
      <select id={id} value={written} disabled={isReadOnly} onChange={(event) => onDone(event.target.value)}>
        <option value="">–</option>
        {offered.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </div>
  );
}

function Label({ id, label, note }: { id: string; label: string; note: string }) {
  return (
    <label htmlFor={id}>
      <code>{label}</code>
      {note && <span className="tag">{note}</span>}
    </label>
  );
}

/** What can be read here: outputs of the steps before, variables, and what the environment may give. */
function ReferencePicker({ name, view, node, catalogue, onPick }: { name: string; view: PlanView; node: PlanNode; catalogue: Catalogue; onPick: (reference: string) => void }) {
  const words = useWords(STUDIO);
  const language = useLanguage();
  return (
    <select className="studio-picker" aria-label={words.pickFor(name)} value="" onChange={(event) => event.target.value && onPick(event.target.value)}>
      <option value="">{words.pick}</option>
      {earlierThan(view, node).map((each) => (
        <optgroup key={each.key} label={titleOf(each, language)}>
          {catalogue.outputsOf(each).map((output) => (
            <option key={output.name} value={`\${${each.id}.${output.name}}`}>
              {`${each.id}.${output.name}`}
            </option>
          ))}
        </optgroup>
      ))}
      {view.vars.length > 0 && <Roots label={words.vars} root="vars" names={view.vars} />}
      {catalogue.env.length > 0 && <Roots label={words.env} root="env" names={catalogue.env} />}
    </select>
  );
}

function Roots({ label, root, names }: { label: string; root: string; names: readonly string[] }) {
  return (
    <optgroup label={label}>
      {names.map((each) => (
        <option key={each} value={`\${${root}.${each}}`}>
          {`${root}.${each}`}
        </option>
      ))}
    </optgroup>
  );
}

function Values({ title, values }: { title: string; values: Readonly<Record<string, Json>> }) {
  const shown = Object.entries(values);
  if (shown.length === 0) return null;
  return (
    <dl className="facts" aria-label={title}>
      {shown.map(([name, value]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return (
          <div key={name} className="fact">
            <dt>
              {title} <code>{name}</code>
            </dt>
            <dd>{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
