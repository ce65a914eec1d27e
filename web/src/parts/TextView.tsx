"use client";

import { lazy } from "react";
import type { TextPart } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { artifactAddress } from "@/api/runs";
import { CopyButton } from "@/shell/CopyButton";
import { useScene } from "./context";
import { PARTS } from "./words";

const Markdown = lazy(() => import("./Markdown").then((module) => ({ default: module.Markdown })));

export function TextView({ part }: { part: TextPart }) {
  const words = useWords(PARTS);
  const { runId, title } = useScene();
  const own = `# ${title}\n`;
  const text = title && part.markdown.startsWith(own) ? part.markdown.slice(own.length) : part.markdown;
  return (
    <div className="text" data-growing={part.is_growing || undefined}>
      {part.is_plain ? <pre className="plain-text">{part.markdown}</pre> : <Markdown text={text} />}
      {part.document && !part.is_growing && (
        <div className="part-actions">
          <CopyButton text={part.markdown} />
          <a
            className="plain"
            href={artifactAddress(runId, part.document.artifact_id)}
            download={part.document.name}
            aria-label={words.download(part.document.name)}
          >
            <Icon name="download" />
            {part.document.name}
          </a>
        </div>
      )}
    </div>
  );
}
