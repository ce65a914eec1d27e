/** What pages ask of triggers: what starts plans by itself. */

import { request } from "./client";
import type { AddedTrigger, Firing, NewTrigger, Trigger } from "./model";

const path = (triggerId: string): string => `/triggers/${encodeURIComponent(triggerId)}`;

export async function listTriggers(signal?: AbortSignal): Promise<Trigger[]> {
  return (await request<{ triggers: Trigger[] }>("GET", "/triggers", { signal })).triggers;
}

export const addTrigger = (body: NewTrigger): Promise<AddedTrigger> => request("POST", "/triggers", { body });

export const changeTrigger = (triggerId: string, body: NewTrigger): Promise<AddedTrigger> => request("PUT", path(triggerId), { body });

export const removeTrigger = (triggerId: string): Promise<void> => request("DELETE", path(triggerId));

export const pauseTrigger = (triggerId: string, isPaused: boolean): Promise<Trigger> => request("POST", `${path(triggerId)}/${isPaused ? "pause" : "resume"}`);

export async function readHistory(triggerId: string, signal?: AbortSignal): Promise<Firing[]> {
  return (await request<{ firings: Firing[] }>("GET", `${path(triggerId)}/history?limit=20`, { signal })).firings;
}
