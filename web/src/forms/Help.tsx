"use client";

import type { Requirement } from "@/api/model";
import { artifactAddress } from "@/api/runs";
import { useWords } from "@/preferences/language";
import { FORMS } from "./words";

/** What helps to answer, for whoever asks for it: a text, and a picture that the run itself has. */
export function Help({ help, runId }: { help: Requirement["help"]; runId: string }) {
  const words = useWords(FORMS);
  if (!help) return null;
  const picture = help.picture && typeof help.picture === "object" ? help.picture : null;
  return (
    <details className="help">
      <summary>{words.help}</summary>
      {help.text && <p>{help.text}</p>}
      {picture && runId && <img src={artifactAddress(runId, picture.file_id, true)} alt={help.text || picture.name} loading="lazy" />}
    </details>
  );
}
