/** A table as an Excel workbook: numbers as numbers, texts as texts, the head fixed. */

import type { Json, TablePart } from "@/api/model";
import { heading, isNumeric } from "./cells";

type Column = TablePart["columns"][number];

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPES = "http://schemas.openxmlformats.org/package/2006/content-types";
const SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
export const XLSX = `${SHEET_TYPE}.sheet`;

export function asXlsx(title: string, columns: readonly Column[], rows: TablePart["rows"]): Blob {
  const name = title.replace(/[\\/?*[\]:]/g, " ").slice(0, 31).trim() || "Sheet1";
  return zipped({
    "[Content_Types].xml": `${HEAD}<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET_TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_TYPE}.styles+xml"/></Types>`,
    "_rels/.rels": `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": styles(columns),
    "xl/worksheets/sheet1.xml": sheet(columns, rows),
  });
}

/** Style 1 is the head; then one for each column, as its numbers are shown. */
function styles(columns: readonly Column[]): string {
  const formats = columns.map((column, at) => `<numFmt numFmtId="${200 + at}" formatCode="${format(column)}"/>`);
  const cells = columns.map((_, at) => `<xf numFmtId="${200 + at}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`);
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join("")}</numFmts><fonts count="2"><font><sz val="11"/><name val="Yu Gothic"/></font><font><b/><sz val="11"/><name val="Yu Gothic"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${2 + cells.length}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>${cells.join("")}</cellXfs></styleSheet>`;
}

function format(column: Column): string {
  if (!isNumeric(column)) return "General";
  const digits = column.decimals ?? (column.kind === "share" ? 1 : 0);
  const point = digits > 0 ? `.${"0".repeat(digits)}` : "";
  if (column.kind === "share") return `0${point}%`;
  return column.decimals === null || column.decimals === undefined ? "#,##0.######" : `#,##0${point}`;
}

function sheet(columns: readonly Column[], rows: TablePart["rows"]): string {
  const head = row(1, columns.map((column) => text(heading(column), 1)));
  const body = rows.map((each, at) => row(at + 2, columns.map((column, place) => cell(each[place], column, place + 2))));
  const widths = columns.map((column, at) => {
    const longest = Math.max(length(heading(column)), ...rows.slice(0, 200).map((each) => length(String(each[at] ?? ""))));
    return `<col min="${at + 1}" max="${at + 1}" width="${Math.min(60, longest + 3)}" customWidth="1"/>`;
  });
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join("")}</cols><sheetData>${head}${body.join("")}</sheetData></worksheet>`;
}

const row = (number: number, cells: readonly string[]): string => `<row r="${number}">${cells.join("")}</row>`;
const text = (words: string, style: number): string => `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(words)}</t></is></c>`;

function cell(value: Json | undefined, column: Column, style: number): string {
  if (value === null || value === undefined || value === "") return `<c s="${style}"/>`;
  if (typeof value === "number" && Number.isFinite(value)) return `<c s="${isNumeric(column) ? style : 0}"><v>${value}</v></c>`;
  if (typeof value === "boolean") return `<c t="b" s="0"><v>${value ? 1 : 0}</v></c>`;
  return text(typeof value === "object" ? JSON.stringify(value) : String(value), 0);
}

/** As wide as it is drawn: a kanji takes two. */
const length = (words: string): number => [...words].reduce((sum, letter) => sum + (letter > "\u2e7f" ? 2 : 1), 0);

function escaped(words: string): string {
  const clean = words.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "");
  return clean.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

// ---- a ZIP archive, its files as they are ----

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(data: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of data) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

/** Numbers in the order of bytes that ZIP writes, two or four bytes each. */
function bytes(...fields: readonly (readonly [number, 2 | 4])[]): Uint8Array {
  const made = new DataView(new ArrayBuffer(fields.reduce((sum, [, size]) => sum + size, 0)));
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) made.setUint16(at, value, true);
    else made.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(made.buffer);
}

const DATE = 0x5a21; // 2025-01-01: the same table gives the same file

function zipped(files: Readonly<Record<string, string>>): Blob {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  const index: Uint8Array[] = [];
  let at = 0;
  for (const [path, content] of Object.entries(files)) {
    const [name, data] = [encoder.encode(path), encoder.encode(content)];
    const common = [[20, 2], [0x800, 2], [0, 2], [0, 2], [DATE, 2], [checksum(data), 4], [data.length, 4], [data.length, 4], [name.length, 2], [0, 2]] as const;
    const head = bytes([0x04034b50, 4], ...common);
    index.push(bytes([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), name);
    pieces.push(head, name, data);
    at += head.length + name.length + data.length;
  }
  const size = index.reduce((sum, piece) => sum + piece.length, 0);
  const count = Object.keys(files).length;
  const end = bytes([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [at, 4], [0, 2]);
  return new Blob([...pieces, ...index, end] as BlobPart[], { type: XLSX });
}
