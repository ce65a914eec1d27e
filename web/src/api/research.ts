/** What the page asks the API for. */

import type {
  CitedPlace,
  Collection,
  CollectionList,
  Deleted,
  ListedPage,
  ListedResearch,
  NewRun,
  NoteList,
  Run,
  Status,
} from "@/research/model";
import { API, query, request } from "./client";

const WORKFLOW = "research";
const PAGE = 20;

const run = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;

export async function listCollections(signal?: AbortSignal): Promise<Collection[]> {
  const { collections } = await request<CollectionList>("GET", "/collections", { signal });
  return collections;
}

export function startResearch(question: string, collection: string, session: string | null): Promise<Run> {
  const body: NewRun = { workflow: WORKFLOW, input: { question, collection }, conversation_id: session };
  return request("POST", "/runs", { body });
}

export function readRun(runId: string, signal?: AbortSignal): Promise<Run> {
  return request("GET", run(runId), { signal });
}

export function cancelRun(runId: string): Promise<Run> {
  return request("POST", `${run(runId)}/cancel`);
}

export function resumeRun(runId: string): Promise<Run> {
  return request("POST", `${run(runId)}/resume`);
}

const HISTORY = `query History($limit: Int!, $before: ID) {
  runs(limit: $limit, before: $before) { id session question status createdAt }
}`;

interface Told extends Omit<ListedResearch, "runId" | "status"> {
  id: string;
  status: Uppercase<Status>;
}

/** By GraphQL: the list of all runs has no questions. */
export async function listResearch(before: string | null): Promise<ListedPage> {
  const { runs } = await query<{ runs: Told[] }>(HISTORY, { limit: PAGE + 1, before });
  const items = runs.slice(0, PAGE).map(({ id, status, ...rest }) => ({
    ...rest,
    runId: id,
    status: status.toLowerCase() as Status,
  }));
  return { items, next: runs.length > PAGE ? (items.at(-1)?.runId ?? null) : null };
}

export function readCitation(runId: string, number: number, signal?: AbortSignal): Promise<CitedPlace> {
  return request("GET", `/research/${encodeURIComponent(runId)}/citations/${number}`, { signal });
}

export function listNotes(session: string, signal?: AbortSignal): Promise<NoteList> {
  return request("GET", `/research/notes?${new URLSearchParams({ session })}`, { signal });
}

export function deleteNotes(session: string): Promise<Deleted> {
  return request("DELETE", `/research/notes/${encodeURIComponent(session)}`);
}

export function artifactAddress(runId: string, artifactId: string): string {
  return `${API}${run(runId)}/artifacts/${encodeURIComponent(artifactId)}`;
}
