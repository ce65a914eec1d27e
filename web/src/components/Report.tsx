"use client";

import { createContext, memo, useContext, useMemo, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { useTexts } from "@/preferences/language";
import { citationMarks, citationNumber } from "@/research/citationMarks";
import type { Citation } from "@/research/model";

const PLUGINS = [remarkGfm, citationMarks];
const PAGES = /^https?:\/\//i;
/** The report begins with its question, which stands at the top of the page already. */
const TITLE = /^\s*# [^\n]*(\n|$)/;

interface Marked {
  writing: boolean;
  /** By number; none while the report is being written. */
  citations: ReadonlyMap<number, Citation>;
  open: number | null;
  onOpen: (number: number) => void;
}

const MarkedContext = createContext<Marked | null>(null);

/** Markdown that nobody vouches for: no HTML, no images, links only to pages, and citations. */
export function Report({ text, writing, citations, open, onOpen }: Marked & { text: string }) {
  const marked = useMemo(() => ({ writing, citations, open, onOpen }), [writing, citations, open, onOpen]);
  return (
    <MarkedContext value={marked}>
      <div className="report-text" data-writing={writing || undefined}>
        <Rendered text={text.replace(TITLE, "")} />
      </div>
    </MarkedContext>
  );
}

const Rendered = memo(function Rendered({ text }: { text: string }) {
  return (
    <Markdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml>
      {text}
    </Markdown>
  );
});

// The same functions at every drawing: others would make React put new buttons in place of the
// old, and the one that the reader came from would be gone.
const COMPONENTS: Components = {
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  a: ({ href, children }) => {
    const number = citationNumber(href);
    return number === null ? <PageLink href={href}>{children}</PageLink> : <Mark number={number} />;
  },
  img: ({ alt }) => <LeftOut alt={alt} />,
  table: ({ children }) => <WideTable>{children}</WideTable>,
};

function PageLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const texts = useTexts();
  if (href === undefined || !PAGES.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      <span className="quiet"> {texts.report.externalLink}</span>
    </a>
  );
}

function LeftOut({ alt }: { alt: string | undefined }) {
  const texts = useTexts();
  return (
    <span className="quiet">
      {alt} {texts.report.imageLeftOut}
    </span>
  );
}

function WideTable({ children }: { children: ReactNode }) {
  const texts = useTexts();
  return (
    <div className="table" tabIndex={0} role="region" aria-label={texts.report.heading}>
      <table>{children}</table>
    </div>
  );
}

function Mark({ number }: { number: number }) {
  const texts = useTexts();
  const marked = useContext(MarkedContext);
  const citation = marked?.citations.get(number);
  if (marked === null || citation === undefined) {
    if (!marked?.writing) return <>[{number}]</>;
    return (
      <span className="mark" title={texts.citation.later(number)}>
        {number}
      </span>
    );
  }
  return (
    <button
      type="button"
      className="mark"
      data-verified={citation.verified}
      aria-label={citation.verified ? texts.citation.open(number) : texts.citation.openUnverified(number)}
      aria-expanded={marked.open === number}
      aria-controls="citation-panel"
      title={citation.document}
      onClick={() => marked.onOpen(number)}
    >
      {number}
    </button>
  );
}
