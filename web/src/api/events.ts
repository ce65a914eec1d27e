/** A run's events as they come, from the first on; the browser reconnects by itself. */

import { API } from "./client";
import type { components } from "./schema";

export type RunEvent = components["schemas"]["Event"];
type Name = RunEvent["payload"]["event"];

// An EventSource hands named events only to those who ask for them by name.
const NAMES: Record<Name, true> = {
  run_start: true,
  node_start: true,
  node_complete: true,
  node_skipped: true,
  node_error: true,
  loop_iteration: true,
  interaction_open: true,
  interaction_answered: true,
  artifact: true,
  text_delta: true,
  run_waiting: true,
  run_complete: true,
};

export interface Listener {
  onEvents(events: RunEvent[]): void;
  onOpen(): void;
  /** The connection broke; the browser is trying again. */
  onLost(): void;
  /** The server does not want to be asked again: the run is over, gone, or not for us. */
  onRefused(): void;
}

/** Returns how to stop listening. Events that come together are handed over together. */
export function followRun(runId: string, listener: Listener): () => void {
  const source = new EventSource(`${API}/runs/${encodeURIComponent(runId)}/events`);
  let waiting: RunEvent[] = [];
  let due: ReturnType<typeof setTimeout> | undefined;
  const handOver = () => {
    due = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0) listener.onEvents(events);
  };
  const receive = (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as RunEvent;
    waiting.push(event);
    if (event.payload.event === "run_complete") {
      // A run that was taken up again has several; only its last ends the stream.
      clearTimeout(due);
      handOver();
    } else {
      due ??= setTimeout(handOver, 40);
    }
  };
  for (const name of Object.keys(NAMES)) {
    source.addEventListener(name, receive as EventListener);
  }
  source.onopen = () => listener.onOpen();
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) listener.onRefused();
    else listener.onLost();
  };
  return () => {
    clearTimeout(due);
    source.close();
  };
}
