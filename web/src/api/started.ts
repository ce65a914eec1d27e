/** The run that was started here last: its page need not ask for what the answer to the start has told. */

import type { Run } from "./model";

let started: Run | null = null;
let isFirst = false;

/** `conversationId`: the one that it goes on with, if any. */
export function remember(run: Run, conversationId?: string | null): Run {
  started = run;
  isFirst = !conversationId;
  return run;
}

export const startedRun = (runId: string | null): Run | null => (started?.run_id === runId ? started : null);

/** The run that a conversation has just begun with. */
export const startedIn = (conversationId: string | null): Run | null =>
  isFirst && started?.conversation_id === conversationId ? started : null;

/** Something newer is known of it. */
export function outgrown(runId: string): void {
  if (started?.run_id === runId) started = null;
}
