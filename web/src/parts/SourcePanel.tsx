"use client";

import { useCallback, useEffect, useRef } from "react";
import { request } from "@/api/client";
import type { components } from "@/api/schema";
import type { SourceItem } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { SHELL } from "@/shell/words";
import { PARTS } from "./words";

type FoundPlace = components["schemas"]["FoundPlace"];

interface Props {
  sources: readonly SourceItem[];
  mark: string;
  onTurn: (mark: string) => void;
  onClose: () => void;
}

/** A source with what stands around it: beside the text where there is room, else over it. */
export function SourcePanel({ sources, mark, onTurn, onClose }: Props) {
  const words = useWords(PARTS);
  const { close } = useWords(SHELL);
  const panel = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const position = sources.findIndex((source) => source.mark === mark);
  const source = sources[position];
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [mark]);
  if (source === undefined) return null;
  const turn = (by: number, label: string, icon: "back" | "forward") => {
    const other = sources[position + by];
    return (
      <button type="button" className="plain" aria-label={label} disabled={!other} onClick={() => other && onTurn(other.mark)}>
        <Icon name={icon} />
      </button>
    );
  };
  return (
    <aside
      ref={panel}
      className="panel"
      aria-label={words.source(mark)}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <div className="panel-top">
        <h2 ref={heading} tabIndex={-1}>
          {words.source(mark)}
        </h2>
        <span className="quiet">{words.sourceOf(position + 1, sources.length)}</span>
        <span className="spring" />
        {turn(-1, words.previous, "back")}
        {turn(1, words.next, "forward")}
        <button type="button" className="plain" aria-label={close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div className="panel-inside">
        <p className="panel-document">
          <Icon name="document" />
          <span>{source.place || source.document}</span>
        </p>
        <p className="chips">
          {source.page !== null && source.page !== undefined && <span className="tag">{words.page(source.page)}</span>}
          {source.is_verified !== null && source.is_verified !== undefined && (
            <span className="tag" data-tone={source.is_verified ? "good" : "caution"}>
              <Icon name={source.is_verified ? "check" : "warning"} />
              {source.is_verified ? words.verified : words.unverified}
            </span>
          )}
        </p>
        {source.context || !source.chunk_id ? <Passage source={source} text={source.context || source.quote} /> : <Around source={source} />}
      </div>
    </aside>
  );
}

function Around({ source }: { source: SourceItem }) {
  const { collection, chunk_id } = source;
  const ask = useCallback(
    (signal: AbortSignal) =>
      request<FoundPlace>(
        "GET",
        `/collections/${encodeURIComponent(collection)}/places/${encodeURIComponent(chunk_id)}`,
        { signal },
      ),
    [collection, chunk_id],
  );
  const place = useAnswer(ask);
  if (place.value === null) {
    return (
      <>
        <Passage source={source} text={source.quote} />
        {place.problem && <ProblemNote problem={place.problem} retry={place.again} />}
      </>
    );
  }
  const { before, text, after } = place.value;
  return <Passage source={source} before={before} text={text} after={after} />;
}

interface PassageProps {
  source: SourceItem;
  before?: string;
  text: string;
  after?: string;
}

function Passage({ source, before = "", text, after = "" }: PassageProps) {
  const words = useWords(PARTS);
  const mark = useRef<HTMLElement>(null);
  const [start, end] = quoteIn(text, source.quote);
  useEffect(() => {
    mark.current?.scrollIntoView({ block: "nearest" }); // in some browsers that is a promise
  }, [text]);
  return (
    <section className="passage" tabIndex={0} aria-label={words.passage}>
      {before && <span className="around">{before}</span>}
      {text.slice(0, start)}
      {end > start && <mark ref={mark}>{text.slice(start, end)}</mark>}
      {text.slice(end)}
      {after && <span className="around">{after}</span>}
    </section>
  );
}

/** Where a quote stands, whatever spaces and line breaks are between its letters. */
export function quoteIn(text: string, quote: string): [number, number] {
  const whole = text.indexOf(quote);
  if (!quote || whole >= 0) return quote ? [whole, whole + quote.length] : [0, 0];
  const places: number[] = [];
  let letters = "";
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index] ?? "";
    if (/\s/.test(letter)) continue;
    places.push(index);
    letters += letter;
  }
  const wanted = quote.replace(/\s+/g, "");
  const found = wanted ? letters.indexOf(wanted) : -1;
  if (found < 0) return [0, 0];
  return [places[found] ?? 0, (places[found + wanted.length - 1] ?? 0) + 1];
}
