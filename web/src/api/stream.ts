/** What there is to see of a run, as it changes: Server-Sent Events, read by `fetch`.
 *
 * Not by an `EventSource`: that can't say in which language it wants to be told.
 */

import { currentLanguage } from "@/preferences/language";
import { API, problemOf, type Problem } from "./client";
import { isFinal, type PartsUpdate } from "./model";
import { runPath } from "./runs";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
const NO_CONTENT = 204;

export interface Listener {
  onUpdate(update: PartsUpdate): void;
  onOpen(): void;
  /** The connection broke; it is being tried again. */
  onLost(): void;
  onRefused(problem: Problem): void;
}

/** Returns how to stop listening. */
export function followParts(runId: string, listener: Listener): () => void {
  const stop = new AbortController();
  void follow(runId, listener, stop.signal);
  return () => stop.abort();
}

async function follow(runId: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let last = "";
  let pause = FIRST_PAUSE_MS;
  let isOver = false;
  while (!signal.aborted && !isOver) {
    try {
      const headers: Record<string, string> = {
        Accept: "text/event-stream",
        "Accept-Language": currentLanguage(),
      };
      if (last) headers["Last-Event-ID"] = last;
      const address = `${API}${runPath(runId)}/events?parts=true`;
      const response = await fetch(address, { headers, signal, cache: "no-store" });
      if (response.status === NO_CONTENT) return;
      if (!response.ok && response.status < 500) {
        listener.onRefused(await problemOf(response));
        return;
      }
      if (response.ok && response.body !== null) {
        listener.onOpen();
        pause = FIRST_PAUSE_MS;
        for await (const { id, data } of messages(response.body)) {
          if (signal.aborted) return;
          const update = JSON.parse(data) as PartsUpdate;
          last = id;
          isOver = isFinal(update.status);
          listener.onUpdate(update);
        }
        if (isOver) return;
      }
    } catch {
      if (signal.aborted) return;
    }
    listener.onLost();
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

interface Message {
  id: string;
  event: string;
  data: string;
}

/** The messages of a stream of Server-Sent Events, as they come. */
export async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const frames = waiting.split("\r\n\r\n");
    waiting = frames.pop() ?? "";
    for (const frame of frames) {
      const message = read(frame);
      if (message !== null) yield message;
    }
  }
}

function read(frame: string): Message | null {
  let id = "";
  let event = "";
  const data: string[] = [];
  for (const line of frame.split("\r\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length > 0 ? { id, event, data: data.join("\n") } : null;
}
