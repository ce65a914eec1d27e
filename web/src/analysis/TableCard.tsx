"use client";

import { useState } from "react";
import type { TablePart, TablePreview } from "@/api/model";
import { TableView } from "@/parts/TableView";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import type { ChosenTable } from "./useTable";
import { ANALYSIS } from "./words";

interface Props {
  preview: TablePreview;
  table: ChosenTable;
  onChange: (change: Partial<ChosenTable>) => void;
  isOpen?: boolean;
  /** In a conversation the table is what it was. */
  isFixed?: boolean;
}

/** A table before it is asked about: its columns, its first rows, and how it was made ready. */
export function TableCard({ preview, table, onChange, isOpen = true, isFixed = false }: Props) {
  const words = useWords(ANALYSIS);
  const language = useLanguage();
  const [isShown, setShown] = useState(isOpen);
  const number = new Intl.NumberFormat(language);
  return (
    <section className="table-card" aria-label={preview.name}>
      <header>
        <Icon name="table" />
        <h2>{preview.name}</h2>
        <span className="quiet">{words.size(number.format(preview.rows), preview.columns.length)}</span>
        <span className="spring" />
        {preview.sheets.length > 1 && !isFixed && (
          <label className="changes-choice">
            <span>{words.sheet}</span>
            <select value={preview.sheet} onChange={(event) => onChange({ sheet: event.target.value })}>
              {preview.sheets.map((sheet) => (
                <option key={sheet}>{sheet}</option>
              ))}
            </select>
          </label>
        )}
        <button type="button" className="plain" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? words.hideColumns : words.showColumns}
          <Icon name={isShown ? "up" : "down"} />
        </button>
      </header>
      {isShown && (
        <>
          <ul className="columns" aria-label={words.columns}>
            {preview.columns.map((column) => (
              <li key={column.name} title={column.examples.join("、")}>
                <b>{column.name}</b>
                <span className="quiet">
                  {[
                    words.types[column.type] ?? column.type,
                    column.unit,
                    words.distinct(number.format(column.distinct)),
                    column.missing > 0 ? words.missing(number.format(column.missing)) : "",
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </li>
            ))}
          </ul>
          {preview.warnings.map((warning) => (
            <p key={warning} className="notice">
              {warning}
            </p>
          ))}
          <Preparations preview={preview} table={table} onChange={onChange} isFixed={isFixed} />
          {!isFixed && (
            <details className="small-details">
              <summary>{words.first}</summary>
              <TableView part={sampleOf(preview)} />
            </details>
          )}
        </>
      )}
    </section>
  );
}

type PreparationProps = Pick<Props, "preview" | "table" | "onChange" | "isFixed">;

/** What was done to make the table ready; each can be left as it is written. */
function Preparations({ preview, table, onChange, isFixed }: PreparationProps) {
  const words = useWords(ANALYSIS);
  if (preview.preparations.length === 0) return null;
  const turn = (kind: string, isDone: boolean) =>
    onChange({ asWritten: isDone ? [...table.asWritten, kind] : table.asWritten.filter((each) => each !== kind) });
  return (
    <div className="preparations">
      <h3>{words.preparations}</h3>
      <ul>
        {preview.preparations.map((preparation) => (
          <li key={preparation.kind + preparation.text}>
            <label className="check">
              <input type="checkbox" role="switch" checked={preparation.is_done} disabled={isFixed} onChange={() => turn(preparation.kind, preparation.is_done)} />
              <span>{preparation.text}</span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}

function sampleOf(preview: TablePreview): TablePart {
  const kinds: Record<string, "number" | "date" | "boolean"> = { number: "number", integer: "number", date: "date", datetime: "date", boolean: "boolean" };
  return {
    id: "sample",
    kind: "table",
    title: preview.name,
    columns: preview.columns.map((column) => ({ name: column.name, kind: kinds[column.type] ?? "text", unit: "", decimals: null })),
    rows: preview.sample as TablePart["rows"],
    total_rows: preview.sample.length,
  } as TablePart;
}
