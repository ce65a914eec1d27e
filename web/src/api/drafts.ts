/** What was typed or noted and not sent: kept by the server, so that a reload or restart loses nothing. */

import { request } from "./client";
import type { JsonObject } from "./model";

const path = (key: string): string => `/drafts/${key.split("/").map(encodeURIComponent).join("/")}`;

export async function readDraft(key: string, signal?: AbortSignal): Promise<JsonObject | null> {
  return (await request<{ content: JsonObject | null }>("GET", path(key), { signal })).content;
}

export const keepDraft = (key: string, content: JsonObject): Promise<void> =>
  request("PUT", path(key), { body: content });

export const resetDraft = (key: string): Promise<void> => request("DELETE", path(key));
