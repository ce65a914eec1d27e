"use client";

import { memo, useMemo, useRef, useState } from "react";
import type { ChangeItem, ChangesPart } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { useScene } from "./context";
import { markAt, useMarks, type Mark } from "./useMarks";
import { PARTS } from "./words";

/** Old and new side by side, a row for each change: both columns scroll as one. */
export function ChangesView({ part }: { part: ChangesPart }) {
  const words = useWords(PARTS).changes;
  const { runId } = useScene();
  const [kind, setKind] = useState("");
  const [flag, setFlag] = useState("");
  const [isUndecided, setUndecided] = useState(false);
  const [current, setCurrent] = useState(0);
  const [marks, setMark, problem] = useMarks(runId, part.id);
  const list = useRef<HTMLOListElement>(null);
  const kinds = useMemo(() => new Map(part.items.map((item) => [item.change, item.label])), [part.items]);
  const flags = useMemo(() => [...new Set(part.items.flatMap((item) => item.flags ?? []))], [part.items]);
  const items = part.items.filter(
    (item) =>
      (!kind || item.change === kind) &&
      (!flag || item.flags?.includes(flag)) &&
      (!isUndecided || !markAt(marks, item.id).accepted),
  );
  const done = part.items.filter((item) => markAt(marks, item.id).accepted).length;
  const jump = (to: number) => {
    const at = Math.max(0, Math.min(items.length - 1, to));
    setCurrent(at);
    const row = list.current?.children[at];
    row?.scrollIntoView({ block: "start", behavior: "smooth" });
    (row as HTMLElement | undefined)?.focus({ preventScroll: true });
  };
  return (
    <div className="changes">
      <div className="changes-tools">
        <Choice label={words.kind} all={words.all} options={[...kinds]} value={kind} onChange={setKind} />
        {flags.length > 0 && <Choice label={words.flag} all={words.all} options={flags.map((each) => [each, each])} value={flag} onChange={setFlag} />}
        <button type="button" className="chip" aria-pressed={isUndecided} onClick={() => setUndecided(!isUndecided)}>
          {words.undecided}
        </button>
        <span className="spring" />
        <span className="quiet" aria-live="polite">
          {words.shown(items.length, part.total_items)} · {words.progress(done, part.items.length)}
        </span>
        <button type="button" className="plain" aria-label={words.previous} disabled={current <= 0} onClick={() => jump(current - 1)}>
          <Icon name="up" />
        </button>
        <button type="button" className="button small" disabled={current >= items.length - 1} onClick={() => jump(current + 1)}>
          {words.next}
          <Icon name="down" />
        </button>
      </div>
      {problem && <ProblemNote problem={problem} />}
      <div className="changes-heads" aria-hidden="true">
        <span>
          {words.old} {part.old_name}
        </span>
        <span>
          {words.new} {part.new_name}
        </span>
      </div>
      <ol ref={list} className="changes-list">
        {items.map((item) => (
          <Change key={item.id} item={item} mark={markAt(marks, item.id)} onMark={setMark} />
        ))}
      </ol>
      {items.length === 0 && <p className="notice">{words.none}</p>}
      <p className="quiet">{words.kept}</p>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  options: readonly (readonly [string, string])[];
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, all, options, value, onChange }: ChoiceProps) {
  return (
    <label className="changes-choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChangeProps {
  item: ChangeItem;
  mark: Mark;
  onMark: (id: string, mark: Mark) => void;
}

const Change = memo(function Change({ item, mark, onMark }: ChangeProps) {
  const words = useWords(PARTS).changes;
  const [isWriting, setWriting] = useState(false);
  const [typed, setTyped] = useState("");
  const place = item.new?.place || item.old?.place || item.label;
  const old = item.old?.place ?? "";
  const moved = old && item.new?.place && old !== item.new.place ? `${old} → ${item.new.place}` : place;
  return (
    <li className="change" tabIndex={-1} data-change={item.change} data-accepted={mark.accepted || undefined}>
      <div className="change-head">
        <span className="change-place">{moved}</span>
        <span className="tag" data-change={item.change}>
          {item.label}
        </span>
        {item.flags?.map((flag) => (
          <span key={flag} className="tag" data-tone="caution">
            {flag}
          </span>
        ))}
        {item.document && <span className="quiet">{item.document}</span>}
        <span className="spring" />
        <button
          type="button"
          className="plain"
          aria-label={words.commentOn(place)}
          aria-expanded={isWriting}
          onClick={() => {
            setTyped(mark.comment);
            setWriting(!isWriting);
          }}
        >
          <Icon name="comment" />
          {words.comment}
        </button>
        <button
          type="button"
          className="plain"
          aria-pressed={mark.accepted}
          onClick={() => onMark(item.id, { ...mark, accepted: !mark.accepted })}
        >
          <Icon name="check" />
          {mark.accepted ? words.accepted : words.accept}
        </button>
      </div>
      <div className="change-sides">
        <SideText item={item} side="old" label={words.old} nothing={words.nothing} />
        <SideText item={item} side="new" label={words.new} nothing={words.nothing} />
      </div>
      {item.explanation && <p className="change-why">{item.explanation}</p>}
      {isWriting ? (
        <form
          className="change-comment"
          onSubmit={(event) => {
            event.preventDefault();
            onMark(item.id, { ...mark, comment: typed.trim() });
            setWriting(false);
          }}
        >
          <textarea aria-label={words.commentOn(place)} value={typed} rows={2} onChange={(event) => setTyped(event.target.value)} />
          <button type="submit" className="button small">
            {words.save}
          </button>
        </form>
      ) : (
        mark.comment && <p className="change-note">{mark.comment}</p>
      )}
    </li>
  );
});

interface SideProps {
  item: ChangeItem;
  side: "old" | "new";
  label: string;
  nothing: string;
}

function SideText({ item, side, label, nothing }: SideProps) {
  const text = item[side]?.text ?? "";
  const own = side === "old" ? "deleted" : "added";
  const segments = (item.diff ?? []).filter((segment) => segment.op === "same" || segment.op === own);
  const Mark = side === "old" ? "del" : "ins";
  return (
    <div className="change-side" data-side={side} data-empty={!text || undefined}>
      <span className="aloud">{label}</span>
      {!text && <span className="quiet">{nothing}</span>}
      {text && segments.length === 0 && (item.change === "added" || item.change === "deleted" ? <Mark>{text}</Mark> : text)}
      {text && segments.map((segment, at) => (segment.op === "same" ? <span key={at}>{segment.text}</span> : <Mark key={at}>{segment.text}</Mark>))}
    </div>
  );
}
