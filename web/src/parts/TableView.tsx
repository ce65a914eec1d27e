"use client";

import { useDeferredValue, useMemo, useRef, useState, type UIEvent } from "react";
import { artifactAddress } from "@/api/runs";
import type { Json, TablePart } from "@/api/model";
import { useLanguage, useWords } from "@/preferences/language";
import { CopyButton } from "@/shell/CopyButton";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { asCsv, asTabs, compareCells, fileName, heading, isEmpty, isNumeric, saveAs, shower } from "./cells";
import { useScene } from "./context";
import { useRows } from "./useRows";
import { PARTS } from "./words";
import { asXlsx } from "./xlsx";

const ROW_HEIGHT = 36;
const MOST_WHOLE = 60;
/** More rows than that are drawn only where they are looked at. */
const SHOWN_AT_ONCE = 40;
const FILTER_FROM = 8;

interface Order {
  column: number;
  isDown: boolean;
}

export function TableView({ part }: { part: TablePart }) {
  const words = useWords(PARTS);
  const language = useLanguage();
  const { runId } = useScene();
  const [order, setOrder] = useState<Order | null>(null);
  const [typed, setTyped] = useState("");
  const [wantsAll, setWantsAll] = useState(false);
  // Who sorts or filters means all rows, not those that happen to be here.
  const whole = useRows(part, runId, wantsAll || order !== null || typed !== "");
  const wanted = useDeferredValue(typed.trim().toLowerCase());
  const showers = useMemo(
    () => part.columns.map((column) => shower(column, language, words.yes, words.no)),
    [part.columns, language, words],
  );
  const rows = useMemo(() => {
    const found = wanted
      ? whole.rows.filter((row) => row.some((cell, at) => showers[at]?.(cell).toLowerCase().includes(wanted)))
      : whole.rows;
    return order === null ? found : sorted(found, order);
  }, [whole.rows, wanted, order, showers]);

  const number = new Intl.NumberFormat(language);
  const turn = (column: number) =>
    setOrder((before) => {
      if (before?.column !== column) return { column, isDown: isNumeric(part.columns[column] ?? { name: "", kind: "text", unit: "" }) };
      const isFirst = before.isDown === isNumeric(part.columns[column] ?? { name: "", kind: "text", unit: "" });
      return isFirst ? { column, isDown: !before.isDown } : null;
    });
  const isCut = !whole.isWhole;
  return (
    <div className="table-part">
      <div className="table-tools">
        {part.rows.length > FILTER_FROM && (
          <label className="table-filter">
            <Icon name="filter" />
            <span className="aloud">{words.filter}</span>
            <input type="search" value={typed} placeholder={words.filterPlaceholder} onChange={(event) => setTyped(event.target.value)} />
          </label>
        )}
        <span className="quiet" aria-live="polite">
          {rows.length === whole.rows.length
            ? words.rows(number.format(part.total_rows))
            : words.rowsOf(number.format(rows.length), number.format(whole.rows.length))}
        </span>
        <span className="spring" />
        <CopyButton text={() => asTabs(part.columns, rows)} />
        <button
          type="button"
          className="plain"
          aria-label={words.download(words.csv)}
          onClick={() => saveAs(new Blob([asCsv(part.columns, rows)], { type: "text/csv;charset=utf-8" }), fileName(part.title, "csv"))}
        >
          <Icon name="download" />
          {words.csv}
        </button>
        <button
          type="button"
          className="plain"
          aria-label={words.download(words.xlsx)}
          onClick={() => saveAs(asXlsx(part.title, part.columns, rows), fileName(part.title, "xlsx"))}
        >
          <Icon name="download" />
          {words.xlsx}
        </button>
      </div>
      <Grid part={part} rows={rows} showers={showers} order={order} onTurn={turn} />
      {whole.problem && <ProblemNote problem={whole.problem} />}
      {(isCut || part.note) && (
        <p className="quiet">
          {isCut && part.file && (
            <button type="button" className="link" onClick={() => setWantsAll(true)}>
              {words.showAll}
            </button>
          )}{" "}
          {isCut && words.firstRows(number.format(part.rows.length), number.format(part.total_rows))} {part.note}{" "}
          {part.file && (
            <a href={artifactAddress(runId, part.file.artifact_id)} download={part.file.name}>
              {words.allRows}
            </a>
          )}
        </p>
      )}
    </div>
  );
}

function sorted(rows: TablePart["rows"], { column, isDown }: Order): TablePart["rows"] {
  return [...rows].sort((one, other) => {
    const [left, right] = [one[column], other[column]];
    if (isEmpty(left) || isEmpty(right)) return Number(isEmpty(left)) - Number(isEmpty(right));
    return isDown ? compareCells(right, left) : compareCells(left, right);
  });
}

interface GridProps {
  part: TablePart;
  rows: TablePart["rows"];
  showers: readonly ((cell: Json | undefined) => string)[];
  order: Order | null;
  onTurn: (column: number) => void;
}

/** Long tables are drawn where they are looked at: ten thousand rows cost what forty do. */
function Grid({ part, rows, showers, order, onTurn }: GridProps) {
  const words = useWords(PARTS);
  const frame = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const isLong = Math.max(rows.length, part.rows.length) > MOST_WHOLE;
  const from = isLong ? Math.min(first, Math.max(0, rows.length - SHOWN_AT_ONCE)) : 0;
  const to = isLong ? Math.min(rows.length, from + SHOWN_AT_ONCE) : rows.length;
  const onScroll = (event: UIEvent) => {
    const at = Math.floor(event.currentTarget.scrollTop / ROW_HEIGHT);
    // Some above and below, so that a small scroll draws nothing.
    if (Math.abs(at - 10 - first) > 5) setFirst(Math.max(0, at - 10));
  };
  return (
    <div ref={frame} className="grid" data-long={isLong || undefined} tabIndex={0} role="region" aria-label={part.title || words.filter} onScroll={isLong ? onScroll : undefined}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {part.columns.map((column, at) => (
              <th
                key={at}
                scope="col"
                data-numeric={isNumeric(column) || undefined}
                aria-sort={order?.column === at ? (order.isDown ? "descending" : "ascending") : undefined}
              >
                <button type="button" onClick={() => onTurn(at)} title={words.sort(column.name)}>
                  {heading(column)}
                  {order?.column === at && <Icon name={order.isDown ? "down" : "up"} />}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <Space rows={from} columns={part.columns.length} />}
          {rows.slice(from, to).map((row, index) => (
            <tr key={from + index} aria-rowindex={from + index + 2}>
              {part.columns.map((column, at) => (
                <td key={at} data-numeric={isNumeric(column) || undefined} data-negative={isNegative(row[at]) || undefined}>
                  {showers[at]?.(row[at])}
                </td>
              ))}
            </tr>
          ))}
          {to < rows.length && <Space rows={rows.length - to} columns={part.columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

const isNegative = (cell: Json | undefined): boolean => typeof cell === "number" && cell < 0;

function Space({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tr aria-hidden="true" className="grid-space">
      <td colSpan={columns} style={{ height: rows * ROW_HEIGHT }} />
    </tr>
  );
}
