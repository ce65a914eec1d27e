/** What pages ask of runs. */

import { API, request } from "./client";
import type { About, Collection, JsonObject, NewRun, Run, RunPage, Status, WorkflowInfo } from "./model";

export const runPath = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;

export const startRun = (body: NewRun): Promise<Run> => request("POST", "/runs", { body });

export const startSample = (workflow: string): Promise<Run> =>
  request("POST", `/workflows/${encodeURIComponent(workflow)}/sample`);

export const readRun = (runId: string, signal?: AbortSignal): Promise<Run> =>
  request("GET", runPath(runId), { signal });

export const cancelRun = (runId: string): Promise<Run> => request("POST", `${runPath(runId)}/cancel`);
export const resumeRun = (runId: string): Promise<Run> => request("POST", `${runPath(runId)}/resume`);
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
export function artifactAddress(runId: string, artifactId: string, inline = false): string {
  return `${API}${runPath(runId)}/artifacts/${encodeURIComponent(artifactId)}${inline ? "?inline=true" : ""}`;
}
