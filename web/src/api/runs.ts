/** What pages ask of runs. */

import { API, Failed, problemOf, request } from "./client";
import type { About, Collection, Correction, Event, JsonObject, NewRun, Part, Run, RunPage, Status, WorkflowInfo } from "./model";
import { remember } from "./started";

export const runPath = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;

export const startRun = async (body: NewRun): Promise<Run> =>
  remember(await request("POST", "/runs", { body }), body.conversation_id);

export const startSample = async (workflow: string): Promise<Run> =>
  remember(await request("POST", `/workflows/${encodeURIComponent(workflow)}/sample`));

export const readRun = (runId: string, signal?: AbortSignal): Promise<Run> =>
  request("GET", runPath(runId), { signal });

export async function readParts(runId: string, signal?: AbortSignal): Promise<Part[]> {
  return (await request<{ parts: Part[] }>("GET", `${runPath(runId)}/parts`, { signal })).parts;
}

/** Everything that is recorded of a run, in order. */
export async function readJournal(runId: string, signal?: AbortSignal): Promise<Event[]> {
  const response = await fetch(`${API}${runPath(runId)}/journal`, { cache: "no-store", ...(signal ? { signal } : {}) });
  if (!response.ok) throw new Failed(await problemOf(response));
  const lines = (await response.text()).split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Event);
}

export const cancelRun = (runId: string): Promise<Run> => request("POST", `${runPath(runId)}/cancel`);
export const resumeRun = (runId: string): Promise<Run> => request("POST", `${runPath(runId)}/resume`);
/** What going on with the plan as it is in the workspace now would do. */
export const readCorrection = (runId: string, signal?: AbortSignal): Promise<{ correction: Correction | null }> =>
  request("GET", `${runPath(runId)}/correction`, { signal });

export const resumeCorrected = (runId: string, body: { input: JsonObject } | { newest: true } | { step: readonly string[] }): Promise<Run> =>
  request("POST", `${runPath(runId)}/resume`, { body });

/** A run that has ended, done again from where its changed input differs. */
export const replayCorrected = (runId: string, body: { input: JsonObject }): Promise<Run> =>
  request("POST", `${runPath(runId)}/replay`, { body });

export const deleteRun = (runId: string): Promise<void> => request("DELETE", runPath(runId));

export const replayRun = (runId: string, step: readonly string[]): Promise<Run> =>
  request("POST", `${runPath(runId)}/replay`, { body: { step } });

export function answerRun(runId: string, interactionId: string, answer: JsonObject): Promise<Run> {
  const id = interactionId.split("/").map(encodeURIComponent).join("/");
  return request("POST", `${runPath(runId)}/interactions/${id}/answer`, { body: answer });
}

export interface Wanted {
  workflow?: string;
  status?: Status;
  conversation_id?: string;
  /** Words of the title. */
  containing?: string;
  before?: string;
  limit?: number;
}

export function listRuns(wanted: Wanted, signal?: AbortSignal): Promise<RunPage> {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return request("GET", `/runs?${query}`, { signal });
}

export async function listWorkflows(signal?: AbortSignal): Promise<WorkflowInfo[]> {
  return (await request<{ workflows: WorkflowInfo[] }>("GET", "/workflows", { signal })).workflows;
}

export const readWorkflow = (name: string, signal?: AbortSignal): Promise<WorkflowInfo> =>
  request("GET", `/workflows/${encodeURIComponent(name)}`, { signal });

export async function listCollections(signal?: AbortSignal): Promise<Collection[]> {
  return (await request<{ collections: Collection[] }>("GET", "/collections", { signal })).collections;
}

export const readAbout = (signal?: AbortSignal): Promise<About> => request("GET", "/about", { signal });

/** Where the bytes of something that a run has made are; `inline`: to be seen, not downloaded. */
export const REPORTS = { docx: "Word", xlsx: "Excel", html: "HTML", md: "Markdown" } as const;

/** What a run gave, as one document. */
export function reportAddress(runId: string, format: keyof typeof REPORTS): string {
  return `${API}${runPath(runId)}/report?format=${format}`;
}

export function artifactAddress(runId: string, artifactId: string, inline = false): string {
  return `${API}${runPath(runId)}/artifacts/${encodeURIComponent(artifactId)}${inline ? "?inline=true" : ""}`;
}
