"use client";

import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { artifactAddress } from "@/api/runs";
import { citationMarks, markOf } from "./citationMarks";
import { SourceChip } from "./SourceChip";
import { useScene } from "./context";

/** Headings of a report begin below those of the page. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const { runId, artifacts } = useScene();
  const components = useMemo<Components>(
    () => ({
      h1: ({ children }) => <h2 className="md-1">{children}</h2>,
      h2: ({ children }) => <h3 className="md-2">{children}</h3>,
      h3: ({ children }) => <h4 className="md-3">{children}</h4>,
      h4: ({ children }) => <h5 className="md-4">{children}</h5>,
      a: ({ href, children }) => {
        const mark = markOf(href);
        if (mark !== null) return <SourceChip mark={mark} />;
        // A file of the run itself, by its name.
        const file = artifacts.find((each) => each.name === decoded(href ?? ""));
        if (file) {
          return (
            <a href={artifactAddress(runId, file.artifact_id)} download={file.name}>
              {children}
            </a>
          );
        }
        return (
          <a href={href} target="_blank" rel="noreferrer noopener">
            {children}
          </a>
        );
      },
      // Pictures of the run itself, by their names; nothing is fetched from elsewhere.
      img: ({ src, alt }) => {
        const name = typeof src === "string" ? decoded(src) : "";
        const picture = artifacts.find((each) => each.name === name && each.media_type.startsWith("image/png"));
        return picture ? <img src={artifactAddress(runId, picture.artifact_id, true)} alt={alt ?? ""} loading="lazy" /> : <>{alt}</>;
      },
      table: ({ children }) => (
        <div className="md-table" tabIndex={0}>
          <table>{children}</table>
        </div>
      ),
    }),
    [runId, artifacts],
  );
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={[remarkGfm, citationMarks]} components={components} skipHtml>
        {text}
      </ReactMarkdown>
    </div>
  );
});

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
