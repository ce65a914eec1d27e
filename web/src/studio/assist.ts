/** What can be written at a place of a plan, and what stands there means; from its lines, so that it works in a text that is not whole. */

import type { Block, Port } from "@/api/model";
import { choicesOf, type Catalogue } from "./catalogue";
import { blockId, type PlanView } from "./planText";

export interface Offer {
  label: string;
  detail: string;
  info: string;
  /** What is put in, where it is not the label. */
  apply?: string;
}

export interface Offers {
  from: number;
  offers: Offer[];
}

interface Line {
  indent: number;
  key: string;
  value: string;
}

/** Dashes count as space: `- id: a` has its key where those below it stand. */
function lineOf(text: string): Line | null {
  const found = /^((?: |- )*)(?:"([^"]*)"|'([^']*)'|([^\s#:{}[\]"'-][^:#]*?)):(?:\s+(.*))?$/.exec(text);
  if (!found) return null;
  return { indent: found[1]?.length ?? 0, key: found[2] ?? found[3] ?? found[4] ?? "", value: (found[5] ?? "").replace(/\s+#.*$/, "").trim() };
}

interface Place {
  /** Keys around the line, from the outside in. */
  around: readonly string[];
  /** The block of the node that the line belongs to. */
  block: string;
  /** Keys beside the line, in the same map. */
  beside: ReadonlySet<string>;
}

function placeOf(lines: readonly string[], at: number, indent: number): Place {
  const around: string[] = [];
  const beside = new Set<string>();
  let [least, block] = [indent, ""];
  for (let number = at - 1; number >= 0; number -= 1) {
    const line = lineOf(lines[number] ?? "");
    if (!line) continue;
    if (line.indent === indent && around.length === 0) beside.add(line.key);
    const begins = /^ *- /.test(lines[number] ?? "") && line.indent <= least;
    if (line.indent < least) {
      around.unshift(line.key);
      least = line.indent;
    }
    if (line.key === "block" && line.indent === least && !block) block = line.value;
    if (begins && (line.key === "id" || block)) {
      block ||= blockBelow(lines, number, line.indent);
      break;
    }
  }
  for (let number = at + 1; number < lines.length; number += 1) {
    const line = lineOf(lines[number] ?? "");
    if (line && line.indent < indent) break;
    if (/^ *- /.test(lines[number] ?? "") && line?.indent === indent) break;
    if (line?.indent === indent) beside.add(line.key);
  }
  return { around, block, beside };
}

function blockBelow(lines: readonly string[], from: number, indent: number): string {
  for (let number = from; number < lines.length; number += 1) {
    const line = lineOf(lines[number] ?? "");
    if (number > from && /^ *- /.test(lines[number] ?? "") && (line?.indent ?? indent) <= indent) return "";
    if (line?.key === "block" && line.indent === indent) return line.value;
  }
  return "";
}

const NODE_KEYS = ["title", "block", "in", "out", "when", "after", "policy", "type", "foreach", "while", "body", "call"];
const isInputs = (place: Place): boolean => place.around.at(-1) === "in" || place.around.at(-1) === "inputs";

const portOffer = (name: string, port: Port): Offer => ({ label: name, detail: port.type, info: port.description, apply: `${name}: ` });
const blockOffer = (block: Block): Offer => ({ label: block.id, detail: block.version, info: block.description });

export function offersAt(text: string, at: number, catalogue: Catalogue, view: PlanView): Offers | null {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const before = text.slice(start, at);
  const reference = /\$\{=?([^{}]*)$/.exec(before);
  if (reference) return references(at, reference[1] ?? "", catalogue, view);
  const lines = text.split("\n");
  const number = text.slice(0, start).split("\n").length - 1;
  const given = /^((?: |- )*)([^\s:#"'{}[\]]*)$/.exec(before);
  if (given) {
    const [indent, typed] = [given[1]?.length ?? 0, given[2] ?? ""];
    const place = placeOf(lines, number, indent);
    const block = catalogue.of(place.block);
    if (block && isInputs(place)) {
      const ports = Object.entries(block.inputs).filter(([name]) => !place.beside.has(name));
      return { from: at - typed.length, offers: ports.map(([name, port]) => portOffer(name, port)) };
    }
    if (place.beside.has("id") || place.beside.has("block")) {
      const keys = NODE_KEYS.filter((key) => !place.beside.has(key));
      return { from: at - typed.length, offers: keys.map((key) => ({ label: key, detail: "", info: "", apply: `${key}: ` })) };
    }
    return null;
  }
  const value = /^((?: |- )*)([\w.]+):\s+["']?([^\s"']*)$/.exec(before);
  if (!value) return null;
  const [, dashes = "", key = "", typed = ""] = value;
  if (key === "block") return { from: at - typed.length, offers: catalogue.blocks.filter((block) => !block.deprecated).map(blockOffer) };
  const place = placeOf(lines, number, dashes.length);
  const port = isInputs(place) ? catalogue.of(place.block)?.inputs[key] : undefined;
  const choices = port ? choicesOf(port) : [];
  return choices.length > 0 ? { from: at - typed.length, offers: choices.map((label) => ({ label, detail: port?.type ?? "", info: "" })) } : null;
}

/** `${…` up to the cursor: a name, or what stands behind its dot. */
function references(at: number, typed: string, catalogue: Catalogue, view: PlanView): Offers | null {
  const last = /(?:^|[^\w.])([^\s.()=!<>+*,&|"']+)\.([^\s.()=!<>+*,&|"']*)$/.exec(typed);
  const offer = (label: string, detail: string, info = ""): Offer => ({ label, detail, info });
  if (last) {
    const [, root = "", name = ""] = last;
    const from = at - name.length;
    if (root === "vars") return { from, offers: view.vars.map((each) => offer(each, "vars")) };
    if (root === "env") return { from, offers: catalogue.env.map((each) => offer(each, "env")) };
    const node = view.nodes.find((each) => each.id === root);
    if (!node) return null;
    return { from, offers: catalogue.outputsOf(node).map((output) => offer(output.name, output.port?.type ?? "", output.port?.description)) };
  }
  const word = /[^\s.()=!<>+*,&|"']*$/.exec(typed)?.[0] ?? "";
  if (typed.slice(0, typed.length - word.length).endsWith(".")) return null;
  const nodes = view.nodes.map((node) => offer(node.id, blockId(node.block) || node.kind));
  const roots = ["vars", "env", "run", "today", "now"].map((name) => offer(name, ""));
  return { from: at - word.length, offers: [...nodes, ...roots] };
}

export interface Meaning {
  from: number;
  to: number;
  title: string;
  type: string;
  text: string;
}

/** What is known of the word at a place: a block, one of its inputs, or what a reference reads. */
export function meaningAt(text: string, at: number, catalogue: Catalogue, view: PlanView): Meaning | null {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
  const line = text.slice(start, end);
  for (const found of line.matchAll(/\$\{=?\s*([^\s.{}]+)\.([^\s.{}[\]]+)[^{}]*\}/g)) {
    const [from, to] = [start + found.index, start + found.index + found[0].length];
    if (at < from || at > to) continue;
    const node = view.nodes.find((each) => each.id === found[1]);
    const output = node && catalogue.outputsOf(node).find((each) => each.name === found[2]);
    return output?.port ? { from, to, title: `${found[1]}.${found[2]}`, type: output.port.type, text: output.port.description } : null;
  }
  const written = lineOf(line);
  if (!written) return null;
  const key = start + line.indexOf(written.key);
  if (written.key === "block") {
    const block = catalogue.of(written.value);
    const from = start + line.indexOf(written.value, written.indent + "block:".length);
    return block && at >= from ? { from, to: from + written.value.length, title: block.id, type: block.version, text: block.description } : null;
  }
  if (at < key || at > key + written.key.length) return null;
  const place = placeOf(text.split("\n"), text.slice(0, start).split("\n").length - 1, written.indent);
  const port = isInputs(place) ? catalogue.of(place.block)?.inputs[written.key] : undefined;
  return port ? { from: key, to: key + written.key.length, title: written.key, type: port.type, text: port.description } : null;
}
