/** Files on their way to the server: with progress, and refused here where the server would refuse them. */

import { currentLanguage } from "@/preferences/language";
import { API, Failed, offline, problemIn } from "./client";
import type { FileRef } from "./model";

export interface Upload {
  promise: Promise<FileRef>;
  stop(): void;
}

/** `onProgress`: how much of it is there, from 0 to 1. `workflow`: the one that it is for. */
export function uploadFile(file: File, workflow: string, onProgress: (share: number) => void): Upload {
  const sending = new XMLHttpRequest(); // `fetch` tells nothing of what was sent
  const promise = new Promise<FileRef>((resolve, reject) => {
    const query = new URLSearchParams({ name: file.name, ...(workflow ? { workflow } : {}) });
    sending.open("POST", `${API}/files?${query}`);
    sending.setRequestHeader("Accept-Language", currentLanguage());
    sending.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    sending.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    sending.onerror = () => reject(new Failed(offline()));
    sending.onload = () => {
      const told: unknown = readable(sending.responseText);
      if (sending.status < 300) resolve(told as FileRef);
      else reject(new Failed(problemIn(told ?? {}, sending.status)));
    };
    sending.send(file);
  });
  return { promise, stop: () => sending.abort() };
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type Refusal = "type" | "size" | "empty";

/** Whether an `accept` as browsers write it (`.csv,image/*`) takes this file. */
export function isAccepted(accept: string, name: string, mediaType: string): boolean {
  const kinds = accept.toLowerCase().split(",").map((kind) => kind.trim()).filter(Boolean);
  if (kinds.length === 0) return true;
  const dot = name.lastIndexOf(".");
  const ending = dot < 0 ? "" : name.slice(dot).toLowerCase();
  const type = mediaType.toLowerCase();
  return kinds.some((kind) => kind === ending || kind === type || kind === "*/*" || kind === `${type.split("/")[0]}/*`);
}

export function refusalOf(file: File, accept: string, maxMb: number): Refusal | null {
  if (!isAccepted(accept, file.name, file.type)) return "type";
  if (file.size > maxMb * 1_000_000) return "size";
  return file.size === 0 ? "empty" : null;
}
