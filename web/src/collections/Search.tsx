"use client";

import { useCallback, useState, type ReactNode } from "react";
import { readPlace, searchCollection } from "@/api/collections";
import type { Hit } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { useParameter } from "@/shell/address";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { SearchField } from "@/shell/SearchField";
import { COLLECTIONS } from "./words";

const AT_ONCE = 10;
const MOST = 100;

/** Words or a question, and the passages that are closest; what was asked is in the address. */
export function Search({ collection }: { collection: string }) {
  const words = useWords(COLLECTIONS);
  const [asked, setAsked] = useParameter("q");
  const [typed, setTyped] = useState(asked ?? "");
  const [limit, setLimit] = useState(AT_ONCE);
  const ask = useCallback(
    (signal: AbortSignal) => searchCollection(collection, asked ?? "", limit, signal),
    [collection, asked, limit],
  );
  const { value: hits, problem, again } = useAnswer(asked === null ? null : ask);
  return (
    <div className="section">
      <SearchField
        label={words.search}
        placeholder={words.searchHint}
        value={typed}
        onChange={setTyped}
        onSend={() => {
          setLimit(AT_ONCE);
          setAsked(typed.trim() || null);
        }}
      />
      {problem && <ProblemNote problem={problem} retry={again} />}
      {asked !== null && hits === null && !problem && <Loading />}
      {hits && (
        <p className="quiet" aria-live="polite">
          {hits.length === 0 ? words.noHits : words.hits(hits.length)}
        </p>
      )}
      <ol className="hits">
        {hits?.map((hit) => (
          <HitCard key={hit.chunk_id} collection={collection} hit={hit} />
        ))}
      </ol>
      {hits && hits.length === limit && limit < MOST && (
        <button type="button" className="button" onClick={() => setLimit(Math.min(MOST, limit + AT_ONCE))}>
          {words.more}
        </button>
      )}
    </div>
  );
}

function HitCard({ collection, hit }: { collection: string; hit: Hit }) {
  const words = useWords(COLLECTIONS);
  const [isOpen, setOpen] = useState(false);
  const ask = useCallback((signal: AbortSignal) => readPlace(collection, hit.chunk_id, signal), [collection, hit.chunk_id]);
  const { value: place, problem } = useAnswer(isOpen ? ask : null);
  const { position } = hit;
  const where = [
    position.page ? words.page(position.page) : "",
    position.sheet ?? "",
    position.row ? words.rows(position.row, position.last_row ?? position.row) : "",
    ...position.headings,
  ].filter(Boolean);
  return (
    <li className="hit">
      <p className="hit-head">
        <Icon name="document" />
        <span className="hit-name">{hit.document_name}</span>
        <span className="quiet">{where.join(" › ")}</span>
      </p>
      {isOpen && place && <p className="hit-around">{place.before}</p>}
      <p className="hit-text">{marked(hit)}</p>
      {isOpen && place && <p className="hit-around">{place.after}</p>}
      {problem && <ProblemNote problem={problem} />}
      <button type="button" className="plain hit-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "up" : "down"} />
        {isOpen ? words.fold : words.around}
      </button>
    </li>
  );
}

/** Spans count characters as the server does: whole ones, not halves of pairs. */
function marked(hit: Hit): ReactNode[] {
  const letters = [...hit.text];
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of hit.highlights) {
    if (start < at) continue;
    pieces.push(letters.slice(at, start).join(""), <mark key={start}>{letters.slice(start, end).join("")}</mark>);
    at = end;
  }
  pieces.push(letters.slice(at).join(""));
  return pieces;
}
