"use client";

import { useId, useState } from "react";
import { useWords } from "@/preferences/language";
import { useScene } from "./context";
import { PARTS } from "./words";

/** A number in the text: its source in a card for whoever points at it, in the panel for whoever opens it. */
export function SourceChip({ mark }: { mark: string }) {
  const words = useWords(PARTS);
  const { sources, openSource } = useScene();
  const [isPointedAt, setPointedAt] = useState(false);
  const id = useId();
  const source = sources.get(mark);
  if (source === undefined) return <>[{mark}]</>;
  return (
    <span className="source-chip-place" onPointerEnter={() => setPointedAt(true)} onPointerLeave={() => setPointedAt(false)}>
      <button
        type="button"
        className="source-chip"
        data-verified={source.is_verified ?? undefined}
        aria-label={words.openSource(mark, source.place || source.document)}
        aria-describedby={isPointedAt ? id : undefined}
        onClick={() => openSource(mark)}
        onFocus={() => setPointedAt(true)}
        onBlur={() => setPointedAt(false)}
      >
        {mark}
      </button>
      {isPointedAt && (
        <span id={id} role="tooltip" className="source-card">
          <span className="source-card-place">{source.place || source.document}</span>
          {source.quote && <span className="source-card-quote">{source.quote}</span>}
        </span>
      )}
    </span>
  );
}
