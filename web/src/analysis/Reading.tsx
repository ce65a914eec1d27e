"use client";

import { useState } from "react";
import type { JsonObject, Run } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { resultOf, type Chip } from "./result";
import { ReadingForm } from "./ReadingForm";
import { ANALYSIS } from "./words";

interface Props {
  run: Run;
  /** Those of the table, where it is still there. */
  columns: readonly string[];
  onAsk: (question: string, specs: readonly JsonObject[]) => void;
}

/** How the question was read, part by part; each part can be changed, and is computed anew then. */
export function Reading({ run, columns, onAsk }: Props) {
  const words = useWords(ANALYSIS);
  const [open, setOpen] = useState<Chip | null>(null);
  const result = resultOf(run);
  if (result === null) return null;
  const question = String(run.input["question"] ?? "");
  const all = (result.reading ?? []).filter((chip) => chip.path.join() !== "/input");
  // A chart beside its table says the same once more: it is shown once, and changed together.
  const isTwin = (one: Chip, other: Chip) => one.label === other.label && one.text === other.text;
  const chips = all.filter((chip, at) => all.findIndex((other) => isTwin(chip, other)) === at);
  return (
    <>
      {chips.length > 0 && (
        <div className="reading" role="group" aria-label={words.readingTitle}>
          <span className="quiet">{words.readingTitle}</span>
          {chips.map((chip, at) => (
            <button
              key={at}
              type="button"
              className="chip"
              aria-pressed={open === chip}
              aria-label={words.change(`${chip.label} ${chip.text}`)}
              onClick={() => setOpen(open === chip ? null : chip)}
            >
              <span className="quiet">{chip.label}</span> {chip.text}
            </button>
          ))}
        </div>
      )}
      {open !== null && (
        <ReadingForm
          key={`${open.step}${open.path.join()}`}
          chips={all.filter((chip) => isTwin(chip, open))}
          specs={result.specs}
          columns={columns}
          onClose={() => setOpen(null)}
          onChange={(specs) => {
            setOpen(null);
            onAsk(question, specs);
          }}
        />
      )}
      {(result.readings ?? []).length > 0 && (
        <div className="offered" role="group" aria-label={words.choose}>
          <ul className="offers">
            {result.readings?.map((reading, at) => (
              <li key={reading.text}>
                <button type="button" className="offer" onClick={() => onAsk(question, reading.specs)}>
                  <Icon name="forward" />
                  <span>
                    {at + 1}. {reading.text}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
