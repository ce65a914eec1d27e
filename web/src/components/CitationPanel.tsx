"use client";

import { useCallback, useEffect, useMemo, useRef, type KeyboardEvent } from "react";
import { readCitation } from "@/api/research";
import { useTexts } from "@/preferences/language";
import type { CitedPlace, Citation } from "@/research/model";
import { useAnswer } from "@/research/useAnswer";
import { Icon } from "./Icon";
import { ProblemNote } from "./ProblemNote";

const BESIDE = "(min-width: 60rem)";

interface Props {
  runId: string;
  citations: readonly Citation[];
  number: number;
  onTurn: (number: number) => void;
  onClose: () => void;
}

/** The passage behind a citation: beside the report where there is room, else over it. */
export function CitationPanel({ runId, citations, number, onTurn, onClose }: Props) {
  const texts = useTexts();
  const panel = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const place = useAnswer(
    useCallback((signal: AbortSignal) => readCitation(runId, number, signal), [runId, number]),
  );
  const position = citations.findIndex((each) => each.id === number);
  const citation = citations[position];

  useEffect(() => {
    const element = panel.current;
    if (element === null) return;
    const beside = window.matchMedia(BESIDE);
    const show = () => {
      element.close();
      if (beside.matches) element.show();
      else element.showModal();
      heading.current?.focus({ preventScroll: true });
    };
    show();
    beside.addEventListener("change", show);
    return () => {
      beside.removeEventListener("change", show);
      element.close();
    };
  }, []);

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [number]);

  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onClose();
  };

  if (citation === undefined) return null;
  const previous = citations[position - 1];
  const next = citations[position + 1];
  return (
    <dialog
      ref={panel}
      id="citation-panel"
      className="panel"
      aria-labelledby="citation-heading"
      onKeyDown={onKey}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === panel.current) onClose(); // the ground around it
      }}
    >
      <div className="panel-inside">
        <div className="panel-top">
          <h2 id="citation-heading" ref={heading} tabIndex={-1}>
            {texts.citation.heading(number)}
          </h2>
          <span className="quiet">{texts.citation.of(position + 1, citations.length)}</span>
          <span className="spring" />
          <button
            type="button"
            className="plain"
            aria-label={texts.citation.previous}
            disabled={!previous}
            onClick={() => previous && onTurn(previous.id)}
          >
            <Icon name="back" />
          </button>
          <button
            type="button"
            className="plain"
            aria-label={texts.citation.next}
            disabled={!next}
            onClick={() => next && onTurn(next.id)}
          >
            <Icon name="forward" />
          </button>
          <button type="button" className="plain" aria-label={texts.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <Source citation={citation} />
        {place.problem ? (
          <>
            <blockquote className="quote-alone">{citation.quote}</blockquote>
            <ProblemNote problem={place.problem} retry={place.again} />
          </>
        ) : place.value === null || place.value.citation.id !== number ? (
          <p className="working" role="status">
            {texts.citation.loading}
          </p>
        ) : (
          <Place place={place.value} />
        )}
      </div>
    </dialog>
  );
}

function Source({ citation }: { citation: Citation }) {
  const texts = useTexts();
  const where = [
    citation.page === null ? "" : texts.steps.page(citation.page),
    citation.sheet ?? "",
    citation.row == null ? "" : texts.steps.row(citation.row),
  ].filter(Boolean);
  return (
    <div className="source">
      <p className="source-document">
        <Icon name="document" />
        <span>{citation.document}</span>
      </p>
      <p className="quiet">
        {where.join(" · ")}
        {where.length > 0 && citation.headings.length > 0 && " · "}
        {citation.headings.join(" › ")}
      </p>
      <p className="source-checks">
        <span className="tag" data-tone={citation.verified ? "good" : "warning"}>
          <Icon name={citation.verified ? "check" : "warning"} />
          {citation.verified ? texts.citation.verified : texts.citation.unverified}
        </span>
        <span className="quiet">{texts.steps.relevance(Math.round(citation.score * 100))}</span>
      </p>
      {!citation.verified && <p className="quiet">{texts.citation.unverifiedHint}</p>}
    </div>
  );
}

function Place({ place }: { place: CitedPlace }) {
  const texts = useTexts();
  const mark = useRef<HTMLElement>(null);
  const [before, quote, after] = useMemo(() => {
    // The server counts characters as Python does, by code points.
    const letters = Array.from(place.text);
    return [
      letters.slice(0, place.start).join(""),
      letters.slice(place.start, place.end).join(""),
      letters.slice(place.end).join(""),
    ];
  }, [place]);
  useEffect(() => {
    mark.current?.scrollIntoView({ block: "center" });
  }, [place]);
  return (
    <>
      {place.problem && <ProblemNote problem={place.problem} />}
      <section className="place" tabIndex={0} aria-label={texts.citation.place}>
        <span className="around">{place.before}</span>
        {before}
        {quote && <mark ref={mark}>{quote}</mark>}
        {after}
        <span className="around">{place.after}</span>
      </section>
    </>
  );
}
