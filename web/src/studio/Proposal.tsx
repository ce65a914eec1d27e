"use client";

import { useCallback } from "react";
import { compareTexts } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { PartView } from "@/parts/Parts";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { SHELL } from "@/shell/words";
import { STUDIO } from "./words";

export interface Proposed {
  text: string;
  /** What to know beside it: what could not be done. */
  notes: readonly string[];
}

interface Props {
  /** The plan as it is now. */
  text: string;
  proposed: Proposed;
  onTake: () => void;
  onClose: () => void;
}

/** Another text for the plan: what would be different, before it is taken. */
export default function Proposal({ text, proposed, onTake, onClose }: Props) {
  const words = useWords(STUDIO);
  const shell = useWords(SHELL);
  const ask = useCallback(() => compareTexts(text, proposed.text), [text, proposed.text]);
  const { value: diff, problem } = useAnswer(ask);
  return (
    <section className="section studio-proposal" aria-label={words.proposal}>
      <h2>{words.proposal}</h2>
      <div className="form-actions">
        <button type="button" className="button primary" onClick={onTake}>
          <Icon name="check" />
          {words.take}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {shell.cancel}
        </button>
      </div>
      {proposed.notes.length > 0 && (
        <ul className="notice studio-notes">
          {proposed.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {diff === null && !problem && <Loading />}
      {problem && <ProblemNote problem={problem} />}
      {diff?.changes.length === 0 && <p className="quiet">{words.same}</p>}
      {diff?.parts.map((part) => (
        <PartView key={part.id} part={part} />
      ))}
    </section>
  );
}
