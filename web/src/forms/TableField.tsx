"use client";

import { memo, useCallback, useRef, type ClipboardEvent, type KeyboardEvent } from "react";
import type { Json, JsonObject, Requirement } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { pasted } from "./pasting";
import { FORMS } from "./words";

/** As many as the server takes where the form says nothing. */
const MOST_ROWS = 1000;

interface Props {
  field: Requirement;
  id: string;
  value: Json | undefined;
  /** By place: `row.column`, rows from 1. */
  problems: Readonly<Record<string, string>>;
  describedBy: string | undefined;
  onChange: (value: Json | undefined) => void;
}

const fresh = (columns: readonly Requirement[]): JsonObject => Object.fromEntries(columns.map(({ id, default: given }) => [id, given ?? null]));

/** Rows that are filled in cell by cell, or pasted from a spreadsheet. */
export function TableField({ field, id, value, problems, describedBy, onChange }: Props) {
  const words = useWords(FORMS);
  const columns = field.columns ?? [];
  const most = field.validation?.max_rows ?? MOST_ROWS;
  const rows = Array.isArray(value) && value.length > 0 ? (value as JsonObject[]) : [fresh(columns)];
  const latest = useRef(rows);
  latest.current = rows;
  const table = useRef<HTMLTableElement>(null);

  const change = useCallback(
    (at: number, column: string, cell: Json) => onChange(latest.current.map((row, each) => (each === at ? { ...row, [column]: cell } : row))),
    [onChange],
  );
  const remove = useCallback((at: number) => onChange(latest.current.filter((_, each) => each !== at)), [onChange]);
  const add = () => {
    onChange([...rows, fresh(columns)]);
    requestAnimationFrame(() => focus(rows.length, 0));
  };
  const focus = useCallback((row: number, column: number) => {
    table.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`)?.focus();
  }, []);

  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text/plain");
    const [row, column] = placeOf(event.target);
    if (row === undefined || column === undefined || !/[\t\n]/.test(text.trimEnd())) return;
    event.preventDefault();
    const next = [...rows];
    pasted(text, columns, column).forEach((cells, at) => {
      if (row + at < most) next[row + at] = { ...(next[row + at] ?? fresh(columns)), ...cells };
    });
    onChange(next);
  };

  const move = (event: KeyboardEvent) => {
    const [row, column] = placeOf(event.target);
    const step = event.key === "ArrowDown" || event.key === "Enter" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (row === undefined || column === undefined || step === 0 || event.nativeEvent.isComposing || event.target instanceof HTMLSelectElement) return;
    event.preventDefault(); // Enter would send the form
    focus(row + step, column);
  };

  return (
    <div className="grid-field">
      <div className="grid-scroll" role="group" aria-labelledby={`${id}-label`} aria-describedby={describedBy}>
        <table ref={table} className="entry-grid" onPaste={paste} onKeyDown={move}>
          <thead>
            <tr>
              <th scope="col">
                <span className="aloud">{words.rowNumber}</span>
              </th>
              {columns.map((column) => (
                <th key={column.id} scope="col" title={column.description}>
                  {column.label}
                  {column.required && <span className="field-mark" data-required> {words.required}</span>}
                </th>
              ))}
              <th>
                <span className="aloud">{words.removeRows}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Row key={at} {...{ row, at, columns, id, change, remove }} problems={ofRow(problems, at + 1)} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="form-actions">
        <button type="button" className="button small" disabled={rows.length >= most} onClick={add}>
          <Icon name="plus" />
          {words.addRow}
        </button>
        <span className="quiet">{words.pasteHint(rows.length, most)}</span>
      </div>
    </div>
  );
}

function placeOf(target: EventTarget): (number | undefined)[] {
  return target instanceof HTMLElement ? (target.dataset["place"] ?? "").split(":").filter(Boolean).map(Number) : [];
}

/** As one text, so that rows whose problems are the same are not drawn again. */
function ofRow(problems: Readonly<Record<string, string>>, row: number): string {
  return JSON.stringify(Object.entries(problems).flatMap(([place, text]) => (place.startsWith(`${row}.`) ? [[place.slice(`${row}.`.length), text]] : [])));
}

interface RowProps {
  row: JsonObject;
  at: number;
  columns: readonly Requirement[];
  id: string;
  problems: string;
  change: (at: number, column: string, cell: Json) => void;
  remove: (at: number) => void;
}

const Row = memo(function Row({ row, at, columns, id, problems, change, remove }: RowProps) {
  const words = useWords(FORMS);
  const wrong = new Map(JSON.parse(problems) as [string, string][]);
  return (
    <tr>
      <th scope="row">{at + 1}</th>
      {columns.map((column, place) => {
        const problem = wrong.get(column.id);
        const problemId = problem ? `${id}-${at}-${column.id}-problem` : undefined;
        const cell = row[column.id];
        const told = {
          id: at === 0 && place === 0 ? id : undefined,
          "data-place": `${at}:${place}`,
          "aria-label": words.cell(at + 1, column.label),
          "aria-invalid": problem ? true : undefined,
          "aria-describedby": problemId,
        } as const;
        return (
          <td key={column.id} data-type={column.type}>
            {column.type === "boolean" ? (
              <input {...told} type="checkbox" checked={cell === true} onChange={(event) => change(at, column.id, event.target.checked)} />
            ) : column.type === "select" ? (
              <select {...told} className="input" value={String(cell ?? "")} onChange={(event) => change(at, column.id, chosen(column, event.target.value))}>
                <option value="">{words.choose}</option>
                {(column.options ?? []).map((option) => (
                  <option key={String(option.value)} value={String(option.value)}>
                    {option.label}
                  </option>
                ))}
                {typeof cell === "string" && cell && chosen(column, cell) === cell && !(column.options ?? []).some((option) => option.value === cell) && <option value={cell}>{cell}</option>}
              </select>
            ) : (
              <input
                {...told}
                className="input"
                type="text"
                autoComplete="off"
                inputMode={column.type === "number" ? "decimal" : undefined}
                value={cell === null || cell === undefined ? "" : String(cell)}
                onChange={(event) => change(at, column.id, event.target.value || null)}
              />
            )}
            {problem && (
              <p id={problemId} className="field-problem">
                {problem}
              </p>
            )}
          </td>
        );
      })}
      <td>
        <button type="button" className="plain" aria-label={words.removeRow(at + 1)} onClick={() => remove(at)}>
          <Icon name="close" />
        </button>
      </td>
    </tr>
  );
});

function chosen(column: Requirement, text: string): Json {
  const found = (column.options ?? []).find((option) => String(option.value) === text);
  return found ? found.value : text || null;
}
