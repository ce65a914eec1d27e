"use client";

import type { FilesPart } from "@/api/model";
import { artifactAddress } from "@/api/runs";
import { useLanguage, useWords, type Language } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { useScene } from "./context";
import { PARTS } from "./words";

export function FilesView({ part }: { part: FilesPart }) {
  const words = useWords(PARTS);
  const language = useLanguage();
  const { runId } = useScene();
  return (
    <ul className="files">
      {part.items.map((file, index) => (
        <li key={`${file.artifact_id}${index}`}>
          <a href={artifactAddress(runId, file.artifact_id)} download={file.name.split("/").at(-1)}>
            <Icon name="document" />
            <span className="file-name">{file.title || file.name}</span>
            <span className="quiet">{(file.made_of ?? []).length > 0 ? words.onDemand : fileSize(file.size, language)}</span>
            <Icon name="download" />
            <span className="aloud">{words.download("")}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

export function fileSize(bytes: number, language: Language): string {
  const [value, unit] = bytes < 1000 ? [bytes, "byte"] : bytes < 1e6 ? [bytes / 1000, "kilobyte"] : [bytes / 1e6, "megabyte"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: value < 10 && unit !== "byte" ? 1 : 0 }).format(value);
}
