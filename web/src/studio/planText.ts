/** What a plan's text says: its nodes, what flows between them, and what can be referred to where. */

import { readTree, type Path } from "./yamlText";

export interface PlanNode {
  /** Ids from the outside in, as the server names nodes: `each_file/analyse`. */
  key: string;
  id: string;
  /** Where it stands in the text. */
  path: Path;
  /** The key of the loop that it is in; empty for none. */
  parent: string;
  title: string | Readonly<Record<string, string>>;
  kind: "block" | "loop" | "subflow";
  /** As written, with a version where one is. */
  block: string;
  /** Of a block, what is given to each port. Scalars are texts. */
  inputs: Readonly<Record<string, unknown>>;
  /** Where those stand in the text; `inputs` is an older word for `in`. */
  inputsAt: Path;
  /** The names that its outputs are read by, by port. */
  renamed: Readonly<Record<string, string>>;
  /** What else it gives: exports of a loop or a called plan. */
  exports: readonly string[];
  offset: number;
}

export interface PlanEdge {
  source: string;
  /** The name that is read. */
  output: string;
  target: string;
  /** The port that it goes into; empty for a condition or an order. */
  input: string;
}

export interface PlanView {
  /** Whether the text is YAML. */
  isWhole: boolean;
  id: string;
  title: PlanNode["title"];
  version: string;
  nodes: readonly PlanNode[];
  edges: readonly PlanEdge[];
  vars: readonly string[];
}

type Written = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Written => value !== null && typeof value === "object" && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const titleOf = (node: Pick<PlanNode, "title" | "id">, language: string): string =>
  (typeof node.title === "string" ? node.title : (node.title[language] ?? Object.values(node.title)[0])) || node.id;

export const blockId = (reference: string): string => reference.split("@")[0]?.trim() ?? "";

export function readPlan(text: string): PlanView {
  const tree = readTree(text);
  const plan = isObject(tree.value) ? tree.value : {};
  const nodes: PlanNode[] = [];
  const edges: PlanEdge[] = [];
  const written = new Map<string, Written>();

  const collect = (graph: Written, path: Path, parent: string): void => {
    for (const list of ["graph", "finally"]) {
      listOf(graph[list]).forEach((each, at) => {
        if (!isObject(each) || typeof each["id"] !== "string") return;
        const here = [...path, list, at];
        const key = parent ? `${parent}/${each["id"]}` : each["id"];
        if (written.has(key)) return;
        written.set(key, each);
        nodes.push(nodeOf(each, here, key, parent, tree.at(here) ?? 0));
        const [body, inside] = bodyOf(each);
        if (body) collect(body, [...here, ...inside], key);
      });
    }
  };
  collect(plan, [], "");

  const keys = new Set(nodes.map((node) => node.key));
  const ids = new Set(nodes.map((node) => node.id));
  for (const node of nodes) {
    const own = written.get(node.key) ?? {};
    for (const [key, value] of Object.entries(own)) {
      if (key === "body" || key === "out") continue;
      if (key === "after") for (const id of listOf(value)) join(edges, keys, node, textOf(id), "", "");
      else if (key === node.inputsAt.at(-1) && node.kind === "block" && isObject(value)) {
        for (const [port, given] of Object.entries(value)) {
          for (const [root, name] of referred(given, ids)) join(edges, keys, node, root, name, port);
        }
      } else for (const [root, name] of referred(value, ids)) join(edges, keys, node, root, name, "");
    }
  }
  return {
    isWhole: tree.isWhole,
    id: textOf(plan["id"]),
    title: isObject(plan["title"]) ? (plan["title"] as Record<string, string>) : textOf(plan["title"]),
    version: textOf(plan["version"]),
    nodes,
    edges,
    vars: isObject(plan["vars"]) ? Object.keys(plan["vars"]) : [],
  };
}

function nodeOf(each: Written, path: Path, key: string, parent: string, offset: number): PlanNode {
  const kind = "foreach" in each || "while" in each || "body" in each ? "loop" : "call" in each && !("block" in each) ? "subflow" : "block";
  const out = isObject(each["out"]) ? each["out"] : isObject(each["outputs"]) ? each["outputs"] : {};
  const word = !("in" in each) && "inputs" in each ? "inputs" : "in";
  const inputs = each[word];
  return {
    key,
    id: textOf(each["id"]),
    path,
    parent,
    title: isObject(each["title"]) ? (each["title"] as Record<string, string>) : textOf(each["title"]),
    kind,
    block: textOf(each["block"]),
    inputs: isObject(inputs) ? inputs : {},
    inputsAt: [...path, word],
    renamed: kind === "block" ? Object.fromEntries(Object.entries(out).map(([port, name]) => [port, textOf(name)])) : {},
    exports: kind === "block" ? [] : exportsOf(out),
    offset,
  };
}

function exportsOf(out: Written): string[] {
  const collected = Array.isArray(out["collect"]) ? listOf(out["collect"]).map(textOf) : [textOf(out["collect"])];
  const named = listOf(out["exports"]).map((each) => (isObject(each) ? textOf(each["as"]) : ""));
  return [...collected, ...named].filter(Boolean);
}

function bodyOf(node: Written): [Written | null, Path] {
  const body = node["body"];
  if (!isObject(body)) return [null, []];
  if (isObject(body["plan"])) return [body["plan"], ["body", "plan"]];
  return "graph" in body ? [body, ["body"]] : [null, []];
}

/** From the node that an id means where it is read: of the same list, or of one around it. */
function join(edges: PlanEdge[], keys: ReadonlySet<string>, target: PlanNode, id: string, output: string, input: string): void {
  for (let around = target.parent; ; around = around.split("/").slice(0, -1).join("/")) {
    const source = around ? `${around}/${id}` : id;
    if (keys.has(source) && source !== target.key) {
      const edge = { source, output, target: target.key, input };
      if (!edges.some((each) => JSON.stringify(each) === JSON.stringify(edge))) edges.push(edge);
      return;
    }
    if (!around) return;
  }
}

const REFERENCE = /\$\{([^{}]*)\}/g;
const NAMED = /([^\s.${}[\]/#"'()=!<>+*,&|-][^\s.${}[\]/#"'()=!<>+*,&|]*)(?:\s*\.\s*([^\s.${}[\]"'()=!<>+*,&|]+))?/g;

/** Nodes that a value reads, each with the name of what is read of it. */
function referred(value: unknown, ids: ReadonlySet<string>): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((each) => referred(each, ids));
  if (isObject(value)) return Object.values(value).flatMap((each) => referred(each, ids));
  if (typeof value !== "string") return [];
  const found: [string, string][] = [];
  for (const [, inside = ""] of value.matchAll(REFERENCE)) {
    const isComputed = inside.startsWith("=");
    for (const [, root = "", name = ""] of inside.slice(isComputed ? 1 : 0).matchAll(NAMED)) {
      if (ids.has(root)) found.push([root, name]);
      if (!isComputed) break;
    }
  }
  return found;
}

/** The nodes that may be read by one: not itself, none that reads it, none that stands inside another loop. */
export function earlierThan(view: PlanView, node: PlanNode): PlanNode[] {
  const later = new Set([node.key]);
  for (let size = 0; size !== later.size; ) {
    size = later.size;
    for (const edge of view.edges) if (later.has(edge.source)) later.add(edge.target);
  }
  const around = node.parent.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));
  return view.nodes.filter((each) => !later.has(each.key) && !around.includes(each.key) && (each.parent === "" || around.includes(each.parent)));
}

/** An id that no node has yet: the last word of the block, with a number where it has to have one. */
export function freshId(view: PlanView, block: string): string {
  const word = block.split(".").at(-1) ?? "step";
  const taken = new Set(view.nodes.map((node) => node.id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? word : `${word}_${number}`;
    if (!taken.has(id)) return id;
  }
}
