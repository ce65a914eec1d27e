/** The blocks that can be used, and what is known of a node through its block. */

import type { Block, BlockCatalogue, Port } from "@/api/model";
import { blockId, type PlanNode } from "./planText";

export interface Output {
  /** The name that it is read by. */
  name: string;
  port: Port | null;
}

export class Catalogue {
  private readonly byId: ReadonlyMap<string, Block>;

  constructor(private readonly told: BlockCatalogue) {
    this.byId = new Map(told.blocks.map((block) => [block.id, block]));
  }

  get blocks(): readonly Block[] {
    return this.told.blocks;
  }

  get env(): readonly string[] {
    return this.told.env;
  }

  of(reference: string): Block | null {
    return this.byId.get(blockId(reference)) ?? null;
  }

  outputsOf(node: PlanNode): Output[] {
    const block = this.of(node.block);
    const declared = Object.entries(block?.outputs ?? {}).map(([name, port]): Output => ({ name: node.renamed[name] || name, port }));
    return [...declared, ...node.exports.map((name): Output => ({ name, port: null }))];
  }

  /** Those that a person looks for, by any of the words about them. */
  find(typed: string): Block[] {
    const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
    return this.blocks.filter(({ id, description, deprecated }) => {
      const about = `${id} ${description}`.toLowerCase();
      return (!deprecated || wanted.length > 0) && wanted.every((word) => about.includes(word));
    });
  }
}

export function choicesOf(port: Port): string[] {
  const { json_schema: schema } = port;
  const listed = schema["enum"];
  if (Array.isArray(listed)) return listed.filter((each) => each !== null).map(String);
  return schema["type"] === "boolean" ? ["true", "false"] : [];
}

const typesOf = (port: Port): string[] => {
  const type = port.json_schema["type"];
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string" && each !== "null") as string[];
};

/** Whether all that can be given to it is a text, so that `12` is one too. */
export const isText = (port: Port): boolean => typesOf(port).join() === "string" || "x-text" in port.json_schema;
export const isLong = (port: Port): boolean => typesOf(port).some((type) => type === "array" || type === "object") || "x-text" in port.json_schema;
