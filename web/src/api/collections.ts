/** What pages ask of collections: reading files into them, searching, deleting. */

import { currentLanguage } from "@/preferences/language";
import { API, Failed, offline, problemIn, problemOf, request } from "./client";
import type { FileRef, Hit, IndexedDocument, Outcome } from "./model";
import type { components } from "./schema";
import { messages } from "./stream";

const path = (name: string): string => `/collections/${encodeURIComponent(name)}`;

export interface Documents {
  documents: IndexedDocument[];
  next: number | null;
}

export function listDocuments(name: string, containing: string, offset: number, signal?: AbortSignal): Promise<Documents> {
  const query = new URLSearchParams({ containing, offset: String(offset), limit: "50" });
  return request("GET", `${path(name)}/documents?${query}`, { signal });
}

export async function searchCollection(name: string, q: string, limit: number, signal?: AbortSignal): Promise<Hit[]> {
  const query = new URLSearchParams({ q, limit: String(limit) });
  return (await request<{ hits: Hit[] }>("GET", `${path(name)}/search?${query}`, { signal })).hits;
}

export type FoundPlace = components["schemas"]["FoundPlace"];

export const readPlace = (name: string, chunkId: string, signal?: AbortSignal): Promise<FoundPlace> =>
  request("GET", `${path(name)}/places/${encodeURIComponent(chunkId)}`, { signal });

export const deleteCollection = (name: string): Promise<void> => request("DELETE", path(name));

export const removeDocument = (name: string, documentId: string): Promise<void> =>
  request("DELETE", `${path(name)}/documents/${encodeURIComponent(documentId)}`);

/** Reads uploaded files into a collection and tells of each; who stops listening stops the reading. */
export async function indexFiles(
  name: string,
  files: readonly FileRef[],
  onOutcome: (outcome: Outcome) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(`${API}${path(name)}/documents`, {
    method: "POST",
    headers: { Accept: "text/event-stream", "Accept-Language": currentLanguage(), "Content-Type": "application/json" },
    body: JSON.stringify({ files }),
    signal,
  });
  if (!response.ok || response.body === null) throw new Failed(await problemOf(response));
  let isDone = false;
  for await (const { event, data } of messages(response.body)) {
    if (event === "done") isDone = true;
    else if (event === "outcome") onOutcome(JSON.parse(data) as Outcome);
    else if (event === "problem") throw new Failed(problemIn(JSON.parse(data), 0));
  }
  if (!isDone) throw new Failed(offline());
}
