/** Where the nodes of a graph stand: from top to bottom, what is inside another within its frame. */

import { Graph, layout } from "@dagrejs/dagre";
import type { GraphPart } from "@/api/model";

export const NODE_WIDTH = 196;
export const NODE_HEIGHT = 64;
const HEAD = 40;
const ROOM = 20;

export interface Placed {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Size {
  width: number;
  height: number;
}

const SIZE: Size = { width: NODE_WIDTH, height: NODE_HEIGHT };

/** Absolute positions of the upper left corners. */
export function placed(part: Pick<GraphPart, "edges"> & { nodes: readonly Pick<GraphPart["nodes"][number], "id" | "parent">[] }, sizeOf = (_id: string) => SIZE, direction: "TB" | "LR" = "TB"): Map<string, Placed> {
  const graph = new Graph({ compound: true });
  graph.setGraph({ rankdir: direction, nodesep: 28, ranksep: 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const parents = new Set(part.nodes.map((node) => node.parent).filter(Boolean));
  for (const node of part.nodes) graph.setNode(node.id, { ...sizeOf(node.id) });
  for (const node of part.nodes) if (node.parent) graph.setParent(node.id, node.parent);
  // Dagre draws no edge to a frame: what leads there leads to all inside of it that nothing leads to.
  const inside = (id: string): string[] =>
    parents.has(id) ? part.nodes.filter((node) => node.parent === id).flatMap((node) => inside(node.id)) : [id];
  for (const edge of part.edges) {
    const [source, target] = [inside(edge.source).at(-1), inside(edge.target)[0]];
    if (source !== undefined && target !== undefined && source !== target) graph.setEdge(source, target);
  }
  layout(graph);
  const places = new Map<string, Placed>();
  for (const node of part.nodes) {
    if (parents.has(node.id)) continue;
    const { x, y } = graph.node(node.id) as { x: number; y: number };
    const { width, height } = sizeOf(node.id);
    places.set(node.id, { id: node.id, x: x - width / 2, y: y - height / 2, width, height });
  }
  const frame = (id: string): Placed | undefined => {
    if (!parents.has(id)) return places.get(id);
    const within = part.nodes.filter((node) => node.parent === id).flatMap((node) => frame(node.id) ?? []);
    if (within.length === 0) return undefined;
    const left = Math.min(...within.map((each) => each.x)) - ROOM;
    const top = Math.min(...within.map((each) => each.y)) - HEAD;
    const right = Math.max(...within.map((each) => each.x + each.width)) + ROOM;
    const bottom = Math.max(...within.map((each) => each.y + each.height)) + ROOM;
    const box = { id, x: left, y: top, width: right - left, height: bottom - top };
    places.set(id, box);
    return box;
  };
  for (const id of parents) frame(id);
  return places;
}
