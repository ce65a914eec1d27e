/** Edits of a YAML text that touch nothing but what they are about: each is one piece of text put in place of another. */

import { isAlias, isCollection, isMap, isScalar, isSeq, parseDocument, type Document, type Node, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";

export type Step = string | number;
export type Path = readonly Step[];
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** The text is written in a way that only a person can change without doing harm. */
export class NotEditable extends Error {}

const REFERENCE = /\$\{(?:[^{}\n'"]|"[^"{}\n]*"|'[^'{}\n]*')*\}/g;
const SIGNS = "{}[],:#";
const FIRST_HIDDEN = 0xe000;
const HIDDEN = /[\ue000-\ue006]/g;

/** As the server reads plans: within `${…}` brackets, commas and colons are not YAML's. Places stay the same. */
const hide = (text: string): string => text.replace(REFERENCE, (found) => found.replace(/[{}[\],:#]/g, hidden));
const hidden = (sign: string): string => String.fromCharCode(FIRST_HIDDEN + SIGNS.indexOf(sign));
const seen = (text: string): string => text.replace(HIDDEN, (sign) => SIGNS.charAt(sign.charCodeAt(0) - FIRST_HIDDEN));

/** Scalars stay as they are written: `0012` is no number. */
const read = (text: string): Document.Parsed => parseDocument(hide(text), { schema: "failsafe", uniqueKeys: false, logLevel: "silent" });

export interface YamlTree {
  value: unknown;
  isWhole: boolean;
  /** Where the part at a path begins: its key, or the part itself in a list. */
  at: (path: Path) => number | null;
}

export function readTree(text: string): YamlTree {
  const document = read(text);
  return {
    value: valueOf(document),
    isWhole: document.errors.length === 0,
    at: (path) => {
      const found = find(document, path);
      const start = found?.key?.range?.[0] ?? found?.node?.range?.[0];
      return start ?? null;
    },
  };
}

function valueOf(document: Document.Parsed): unknown {
  try {
    return shown(document.toJS({ maxAliasCount: 1000 }));
  } catch {
    return null; // an alias to nothing, or one that grows without end
  }
}

function shown(value: unknown): unknown {
  if (typeof value === "string") return seen(value);
  if (Array.isArray(value)) return value.map(shown);
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, each]) => [seen(key), shown(each)]));
  return value;
}

/** What a person typed as a value, by the server's rules: a reference may stand as it is, `0012` is a text. */
export function readValue(text: string): Value {
  const document = read(text);
  if (document.errors.length > 0) throw new NotEditable();
  return typed(document.contents);
}

const NUMBER = /^[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?$/;

function typed(node: unknown): Value {
  if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => [seen(String(isScalar(key) ? key.value : key)), typed(value)]));
  if (isSeq(node)) return node.items.map(typed);
  if (!isScalar(node)) return null;
  const text = seen(String(node.value ?? ""));
  if (node.type !== "PLAIN") return text;
  if (/^(?:|~|null)$/i.test(text)) return null;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return NUMBER.test(text) ? Number(text) : text;
}

/** A part as it is written, without the indentation of its place. */
export function sourceAt(text: string, path: Path): string {
  const node = find(read(text), path)?.node ?? null;
  if (isEmpty(node) || !node?.range) return "";
  const [from, to] = [node.range[0], endOf(text, node)];
  const column = isCollection(node) ? columnOf(text, from) : 0;
  return text.slice(from, to).replaceAll(new RegExp(`\\n {0,${column}}`, "g"), "\n");
}

// ---- finding ----

interface Found {
  parent: YAMLMap | YAMLSeq | null;
  key: Scalar | null;
  node: Node | null;
  index: number;
}

function find(document: Document.Parsed, path: Path): Found | null {
  let found: Found = { parent: null, key: null, node: document.contents, index: 0 };
  for (const step of path) {
    const { node } = found;
    if (isMap(node)) {
      const index = node.items.findIndex(({ key }) => isScalar(key) && seen(String(key.value)) === step);
      const pair = node.items[index] as Pair<Scalar, Node | null> | undefined;
      if (pair === undefined) return null;
      found = { parent: node, key: pair.key, node: pair.value, index };
    } else if (isSeq(node) && typeof step === "number") {
      if (step >= node.items.length) return null;
      found = { parent: node, key: null, node: node.items[step] as Node | null, index: step };
    } else return null;
  }
  return found;
}

const startOf = (node: Node | null): number => node?.range?.[0] ?? refuse();
const isFlow = (node: Node): boolean => isCollection(node) && node.flow === true;
const isEmpty = (node: Node | null): boolean => node === null || (isScalar(node) && node.type === "PLAIN" && node.source === "");

function refuse(): never {
  throw new NotEditable();
}

/** Where what is written of a value ends; comments and empty lines behind it are not its own. */
function endOf(text: string, node: Node | null): number {
  if (node === null || !node.range) return refuse();
  if (isCollection(node) && !isFlow(node)) {
    const last: unknown = node.items.at(-1);
    const pair = last as Pair<Scalar, Node | null>;
    if (isMap(node)) return isEmpty(pair.value) ? colonAfter(text, pair.key) : endOf(text, pair.value);
    return isEmpty(last as Node | null) ? refuse() : endOf(text, last as Node);
  }
  const [from, end] = node.range;
  if (isScalar(node) && (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED")) {
    const keeps = /^[|>]\d?\+/.test(text.slice(from, end));
    if (keeps) return end;
    const body = text.slice(from, end);
    return from + body.trimEnd().length;
  }
  return end;
}

/** Behind the colon of a key. */
function colonAfter(text: string, key: Scalar): number {
  const from = key.range?.[1] ?? refuse();
  const gap = /^\s*:/.exec(text.slice(from));
  return gap ? from + gap[0].length : refuse();
}

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};
const columnOf = (text: string, at: number): number => at - lineStart(text, at);

// ---- writing ----

const PLAIN = /^[A-Za-z_\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff][\w.\-/@\u3041-\u3096\u30a1-\u30fc\u4e00-\u9fff]*$/;
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;
const WHOLE_REFERENCE = /^\$\{[^{}\n'"#:,[\]]*\}$/;

function scalar(value: Value, isInFlow: boolean): string {
  if (typeof value !== "string") return JSON.stringify(value);
  if (PLAIN.test(value) && !WORDS.test(value)) return value;
  if (!isInFlow && WHOLE_REFERENCE.test(value)) return value;
  // JSON's strings are YAML's, but for two ends of lines that YAML counts and JSON does not.
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029\ufeff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const isObject = (value: Value): value is { readonly [key: string]: Value } => typeof value === "object" && value !== null && !isList(value);

function inFlow(value: Value): string {
  if (isList(value)) return `[${value.map(inFlow).join(", ")}]`;
  if (isObject(value)) return `{${Object.entries(value).map(([key, each]) => `${scalar(key, true)}: ${inFlow(each)}`).join(", ")}}`;
  return scalar(value, true);
}

/** What follows a key and its colon: maps and lists of maps over lines, all else on one. */
function afterColon(value: Value, column: number): string {
  if (isObject(value) && Object.keys(value).length > 0) return `\n${pairs(value, column + 2)}`;
  if (isList(value) && value.some(isObject)) return `\n${value.map((each) => item(each, column + 2)).join("\n")}`;
  return ` ${isObject(value) || isList(value) ? inFlow(value) : scalar(value, false)}`;
}

const pairs = (value: { readonly [key: string]: Value }, column: number): string =>
  Object.entries(value)
    .map(([key, each]) => `${" ".repeat(column)}${scalar(key, false)}:${afterColon(each, column)}`)
    .join("\n");

const item = (value: Value, column: number): string =>
  isObject(value) && Object.keys(value).length > 0
    ? `${" ".repeat(column)}- ${pairs(value, column + 2).trimStart()}`
    : `${" ".repeat(column)}- ${isObject(value) || isList(value) ? inFlow(value) : scalar(value, false)}`;

// ---- edits ----

type Edit = { kind: "set"; path: Path; value: Value } | { kind: "append"; path: Path; value: Value } | { kind: "remove"; path: Path };

/** Gives the part at a path a value; what is not there yet is written behind what is. */
export const setAt = (text: string, path: Path, value: Value): Change => checked(text, { kind: "set", path, value });
/** Puts a value behind the last one of a list. */
export const appendTo = (text: string, path: Path, value: Value): Change => checked(text, { kind: "append", path, value });
export const removeAt = (text: string, path: Path): Change => checked(text, { kind: "remove", path });

export const changed = (text: string, { from, to, insert }: Change): string => text.slice(0, from) + insert + text.slice(to);

function checked(text: string, edit: Edit): Change {
  const document = read(text);
  if (document.errors.length > 0 || /^\t|\r/m.test(text)) refuse();
  const change = planned(text, document, edit);
  const after = read(changed(text, change));
  // What was meant and what stands there now are compared: a way of writing that is not understood here is never damaged.
  const expected = JSON.stringify(applied(valueOf(document), edit));
  if (after.errors.length > 0 || JSON.stringify(valueOf(after)) !== expected) refuse();
  return smallest(text, change);
}

function planned(text: string, document: Document.Parsed, edit: Edit): Change {
  if (edit.kind === "remove") return removal(text, document, edit.path);
  const there = find(document, edit.path);
  if (edit.kind === "append" && there && isSeq(there.node) && there.node.items.length > 0) return appended(text, there.node, edit.value);
  const value = edit.kind === "append" ? [edit.value] : edit.value;
  return there ? replaced(text, there, value) : inserted(text, document, edit.path, value);
}

function appended(text: string, list: YAMLSeq, value: Value): Change {
  const last = list.items.at(-1) as Node;
  const end = endOf(text, last);
  if (isFlow(list)) return { from: end, to: end, insert: `, ${inFlow(value)}` };
  const column = columnOf(text, startOf(list));
  const first = list.items[1] as Node | undefined;
  const isSpaced = first !== undefined && /\n[ ]*\n/.test(text.slice(endOf(text, list.items[0] as Node), startOf(first)));
  return newLine(text, end, (isSpaced ? "\n" : "") + item(value, column));
}

function newLine(text: string, end: number, line: string): Change {
  if (text[end - 1] === "\n") return { from: end, to: end, insert: `${line}\n` };
  const at = lineEnd(text, end);
  return { from: at, to: at, insert: `\n${line}` };
}

function replaced(text: string, { parent, key, node }: Found, value: Value): Change {
  if (parent === null || isAlias(node)) return refuse();
  const isInFlow = isFlow(parent);
  const column = key ? columnOf(text, startOf(key)) : columnOf(text, startOf(parent)) + 2;
  if (isEmpty(node)) {
    if (!key) return refuse();
    const at = colonAfter(text, key);
    return { from: at, to: at, insert: isInFlow ? ` ${inFlow(value)}` : afterColon(value, column) };
  }
  const [start, end] = [startOf(node), endOf(text, node)];
  if (isInFlow || !key) return { from: start, to: end, insert: isInFlow ? inFlow(value) : item(value, column).trimStart().slice(2) };
  const colon = colonAfter(text, key);
  const head = text.slice(colon, Math.min(lineEnd(text, colon), start));
  const isBelow = lineEnd(text, colon) < start;
  const note = isBelow && head.includes("#") ? ` ${head.trim()}` : "";
  const written = afterColon(value, column);
  if (note && written.startsWith("\n")) return { from: colon + head.trimEnd().length, to: end, insert: written };
  return isBelow ? { from: colon, to: end, insert: written + note } : { from: colon + (/^\s*/.exec(head)?.[0].length ?? 0), to: end, insert: written.startsWith("\n") ? written : written.slice(1) };
}

function inserted(text: string, document: Document.Parsed, path: Path, value: Value): Change {
  const name = path.at(-1);
  if (typeof name !== "string") return refuse();
  const holder = find(document, path.slice(0, -1));
  if (!holder) return inserted(text, document, path.slice(0, -1), { [name]: value });
  const { node } = holder;
  if (isEmpty(node)) return holder.parent ? replaced(text, holder, { [name]: value }) : refuse();
  if (!isMap(node)) return refuse();
  const last = node.items.at(-1) as Pair<Scalar, Node | null> | undefined;
  if (isFlow(node)) {
    const pair = `${scalar(name, true)}: ${inFlow(value)}`;
    const at = last ? (isEmpty(last.value) ? (last.value?.range?.[1] ?? refuse()) : endOf(text, last.value)) : startOf(node) + 1;
    return { from: at, to: at, insert: last ? `, ${pair}` : pair };
  }
  const column = columnOf(text, startOf(node));
  return newLine(text, endOf(text, node), `${" ".repeat(column)}${scalar(name, false)}:${afterColon(value, column)}`);
}

function removal(text: string, document: Document.Parsed, path: Path): Change {
  const found = find(document, path);
  if (!found || found.parent === null) return refuse();
  const { parent, key, node, index } = found;
  const start = startOf(key ?? node);
  if (parent.items.length === 1) {
    const holder = find(document, path.slice(0, -1));
    return holder ? replaced(text, holder, isMap(parent) ? {} : []) : refuse();
  }
  const end = isEmpty(node) ? (key ? colonAfter(text, key) : refuse()) : endOf(text, node);
  if (isFlow(parent)) {
    const next: unknown = parent.items[index + 1];
    if (next !== undefined) return { from: start, to: startOfItem(next), insert: "" };
    const before: unknown = parent.items[index - 1];
    return { from: endOfItem(text, before), to: end, insert: "" };
  }
  const line = lineStart(text, start);
  const before = text.slice(line, start);
  const stop = text[end - 1] === "\n" ? end : Math.min(lineEnd(text, end) + 1, text.length);
  if (/^\s*$/.test(before) || (!key && /^ *- +$/.test(before) && columnOf(text, startOf(parent)) === before.indexOf("-"))) {
    // The last line of a text may have no end: then the one before it loses its own.
    return stop === text.length && !text.endsWith("\n") ? { from: Math.max(line - 1, 0), to: stop, insert: "" } : { from: line, to: stop, insert: "" };
  }
  const next: unknown = parent.items[index + 1];
  return next === undefined || text.slice(end, startOfItem(next)).includes("#") ? refuse() : { from: start, to: startOfItem(next), insert: "" };
}

const isPair = (each: unknown): each is Pair<Scalar, Node | null> => typeof each === "object" && each !== null && "key" in each && !("range" in each);
const startOfItem = (each: unknown): number => startOf(isPair(each) ? each.key : (each as Node));
const endOfItem = (text: string, each: unknown): number =>
  isPair(each) ? (isEmpty(each.value) ? (each.key.range?.[1] ?? refuse()) : endOf(text, each.value)) : endOf(text, each as Node);

/** Without what stays the same at its ends, so that a cursor and marks there stay where they are. */
export function smallest(text: string, { from, to, insert }: Change): Change {
  let [start, end, kept] = [from, to, insert];
  while (start < end && kept.length > 0 && text[start] === kept[0]) [start, kept] = [start + 1, kept.slice(1)];
  while (end > start && kept.length > 0 && text[end - 1] === kept.at(-1)) [end, kept] = [end - 1, kept.slice(0, -1)];
  return { from: start, to: end, insert: kept };
}

// ---- what an edit means, on values alone ----

function applied(value: unknown, edit: Edit): unknown {
  const [step, ...rest] = edit.path;
  if (step === undefined) {
    if (edit.kind === "append") return [...(Array.isArray(value) ? (value as unknown[]) : []), asRead(edit.value)];
    return edit.kind === "set" ? asRead(edit.value) : value;
  }
  const inner = { ...edit, path: rest };
  if (Array.isArray(value) && typeof step === "number") {
    if (edit.kind === "remove" && rest.length === 0) return value.filter((_, at) => at !== step);
    return (value as unknown[]).map((each, at) => (at === step ? applied(each, inner) : each));
  }
  const held = value !== null && typeof value === "object" ? Object.entries(value) : [];
  if (edit.kind === "remove" && rest.length === 0) return Object.fromEntries(held.filter(([key]) => key !== step));
  if (!held.some(([key]) => key === step)) return Object.fromEntries([...held, [String(step), applied(null, inner)]]);
  return Object.fromEntries(held.map(([key, each]) => [key, key === step ? applied(each, inner) : each]));
}

/** All scalars are texts where an edit is compared. */
function asRead(value: Value): unknown {
  if (isList(value)) return value.map(asRead);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asRead(each)]));
  return typeof value === "string" ? value : JSON.stringify(value);
}
