"use client";

import { useId, useState } from "react";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { titleOf, type PlanNode, type PlanView } from "./planText";
import { STUDIO } from "./words";

interface Props {
  view: PlanView;
  nodes: readonly PlanNode[];
  onGroup: (name: string, over: string) => Promise<void>;
  onLeave: (key: string) => void;
  onClear: () => void;
}

/** Steps that were marked: put together into a plan of their own, or into a loop over a list that they read. */
export default function Grouping({ view, nodes, onGroup, onLeave, onClear }: Props) {
  const words = useWords(STUDIO);
  const language = useLanguage();
  const id = useId();
  const [name, setName] = useState("");
  const [over, setOver] = useState("");
  const [isActing, setActing] = useState(false);
  const keys = new Set(nodes.map((node) => node.key));
  const lists = [...new Set(view.edges.filter((edge) => keys.has(edge.target) && !keys.has(edge.source) && edge.output).map((edge) => `${edge.source}.${edge.output}`))];
  const group = async (list: string) => {
    setActing(true);
    await onGroup(name.trim(), list);
    setActing(false);
  };
  return (
    <section className="studio-grouping" aria-label={words.grouping}>
      <p>
        <strong>{words.marked(nodes.length)}</strong>
      </p>
      <ul>
        {nodes.map((node) => (
          <li key={node.key} className="tag">
            {titleOf(node, language)}
            <button type="button" className="plain" aria-label={words.leave(titleOf(node, language))} onClick={() => onLeave(node.key)}>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <div className="form-actions">
        <label htmlFor={`${id}-name`}>{words.groupName}</label>
        <input id={`${id}-name`} className="input" type="text" value={name} maxLength={100} spellCheck={false} onChange={(event) => setName(event.target.value)} />
        <button type="button" className="button small" disabled={isActing || !name.trim()} onClick={() => void group("")}>
          {words.toSubflow}
        </button>
        {lists.length > 0 && (
          <>
            <select className="input" aria-label={words.over} value={over} onChange={(event) => setOver(event.target.value)}>
              <option value="">{words.over}</option>
              {lists.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
            <button type="button" className="button small" disabled={isActing || !name.trim() || !over} onClick={() => void group(over)}>
              {words.toLoop}
            </button>
          </>
        )}
        <button type="button" className="button small" onClick={onClear}>
          {words.unmark}
        </button>
      </div>
    </section>
  );
}
