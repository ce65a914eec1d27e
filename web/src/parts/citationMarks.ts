/** A remark plugin: `[3]` in a text becomes a mark that can be opened. */

import type { Link, PhrasingContent, Root, Text } from "mdast";

const MARK = /\[(\d{1,4})\]/g;
const PREFIX = "#source-";

interface Parent {
  type: string;
  children: { type: string }[];
}

/** Words of documents and models can't pass for a mark: the server breaks their brackets. */
export function citationMarks() {
  return (tree: Root): void => visit(tree as Parent);
}

export function markOf(href: string | undefined): string | null {
  return href?.startsWith(PREFIX) ? href.slice(PREFIX.length) : null;
}

function visit(parent: Parent): void {
  if (parent.type === "link" || parent.type === "linkReference") return;
  parent.children = parent.children.flatMap((child) => {
    if (child.type === "text") return split(child as Text);
    if ("children" in child) visit(child as Parent);
    return [child];
  });
}

function split(text: Text): PhrasingContent[] {
  const parts: PhrasingContent[] = [];
  let end = 0;
  for (const mark of text.value.matchAll(MARK)) {
    if (mark.index > end) parts.push({ type: "text", value: text.value.slice(end, mark.index) });
    const number = mark[1] ?? "";
    const link: Link = { type: "link", url: PREFIX + number, children: [{ type: "text", value: number }] };
    parts.push(link);
    end = mark.index + mark[0].length;
  }
  if (end < text.value.length) parts.push({ type: "text", value: text.value.slice(end) });
  return parts;
}
