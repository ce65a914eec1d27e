/** What the studio opens, and under which names it keeps it. */

import type { PlanVersion } from "@/api/model";
import { listVersions, readPlan, readVersion } from "@/api/plans";
import { changed, setAt } from "./yamlText";

export interface Opened {
  /** With `\n` at the ends of its lines, as an editor has it. */
  text: string;
  /** As its lines end where it is kept. */
  lineEnd: "\n" | "\r\n";
  /** The kept version that the text is of; null where it was not kept. */
  version: PlanVersion | null;
}

const BLANK = `apiVersion: v1
id: new_plan
version: 1.0.0
title: ""
graph: []
`;

const opened = (text: string, version: PlanVersion | null): Opened => ({
  text: text.replaceAll("\r\n", "\n"),
  lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
  version,
});

/** `id@version` of a kept one, the id of a plan in the designs, or nothing for a new one. */
export async function openDesign(name: string | null, signal: AbortSignal): Promise<Opened> {
  if (name === null) return opened(BLANK, null);
  const at = name.lastIndexOf("@");
  if (at > 0) {
    const version = await readVersion(name.slice(0, at), name.slice(at + 1), signal);
    return opened(version.text, version);
  }
  const known = await listVersions(name, signal);
  try {
    const design = await readPlan(name, signal);
    const same = design.versions?.find((each) => each.version === design.version);
    return opened(design.text, design.state && same ? same : null);
  } catch (error) {
    const newest = known[0];
    if (!newest) throw error;
    const version = await readVersion(name, newest.version, signal);
    return opened(version.text, version);
  }
}

/** A plan of one's own with the text of another. */
export async function openCopy(planId: string, signal: AbortSignal): Promise<Opened> {
  const { text: original, own_id: ownId } = await readPlan(planId, signal);
  const copy = opened(original, null);
  const base = (ownId || planId).split("/").at(-1) ?? "plan";
  const taken = new Set<string>();
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? `${base}_copy` : `${base}_copy_${number}`;
    if (!taken.has(id) && (await listVersions(id, signal)).length === 0) {
      return { ...copy, text: changed(copy.text, setAt(copy.text, ["id"], id)) };
    }
    taken.add(id);
  }
}

/** The next one after it: 1.2.3 → 1.3.0. */
export function nextVersion(version: string, known: readonly string[]): string {
  const [major = "1", minor = "0"] = version.split(".");
  for (let next = (Number.parseInt(minor, 10) || 0) + 1; ; next += 1) {
    const name = `${Number.parseInt(major, 10) || 1}.${next}.0`;
    if (!known.includes(name)) return name;
  }
}
