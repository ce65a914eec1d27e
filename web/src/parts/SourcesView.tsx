"use client";

import type { SourcesPart } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { useScene } from "./context";
import { PARTS } from "./words";

export function SourcesView({ part }: { part: SourcesPart }) {
  const words = useWords(PARTS);
  const { openSource } = useScene();
  return (
    <ol className="sources">
      {part.items.map((source) => (
        <li key={source.mark}>
          <button type="button" className="source-line" onClick={() => openSource(source.mark)}>
            <span className="source-mark" aria-hidden="true">
              {source.mark}
            </span>
            <span className="source-words">
              <span className="source-place">
                <span className="aloud">{words.source(source.mark)} </span>
                {source.place || source.document}
              </span>
              {source.quote && <span className="source-quote">{source.quote}</span>}
            </span>
            {source.is_verified !== null && source.is_verified !== undefined && (
              <span className="tag" data-tone={source.is_verified ? "good" : "caution"}>
                <Icon name={source.is_verified ? "check" : "warning"} />
                {source.note || (source.is_verified ? words.verified : words.unverified)}
              </span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}
