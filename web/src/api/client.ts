/** Requests to the API of the server that this page came from, and what can go wrong with them. */

import { currentLanguage } from "@/preferences/language";
import { inBoth } from "@/preferences/words";
import type { components } from "./schema";

export const API = "/api/v1";
const UNAUTHORIZED = 401;

/** What a person is told when something fails. */
export interface Problem {
  message: string;
  hint: string;
  status: number;
  /** What is wrong with which field, where a form was refused; in a table, with `field.row.column`. */
  fields: Readonly<Record<string, string>>;
}

export class Failed extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

const WORDS = inBoth(
  {
    offline: "サーバーにつながりません。",
    offlineHint: "Sanboが動いているか、ネットワークがつながっているかを確かめて、もう一度お試しください。",
    unreadable: "サーバーの応答を読み取れませんでした。",
    unreadableHint: "ページを再読み込みしてください。直らない場合は、サーバーのログを確認してください。",
  },
  {
    offline: "The server cannot be reached.",
    offlineHint: "Check that Sanbo is running and that you are connected, then try again.",
    unreadable: "The server's answer could not be read.",
    unreadableHint: "Reload the page. If that does not help, look at the server's log.",
  },
);

type Method = "GET" | "POST" | "PUT" | "DELETE";

interface Sent {
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** The answer as JSON; every failure is a `Failed` with words in the language of the page. */
export async function request<T>(method: Method, path: string, { body, signal }: Sent = {}): Promise<T> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    "Accept-Language": currentLanguage(),
  };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(API + path, {
      method,
      headers,
      credentials: "same-origin",
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failed(offline());
  }
  if (!response.ok) throw new Failed(await problemOf(response));
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch {
    throw new Failed(unreadable(response.status));
  }
}

export function problemFrom(error: unknown): Problem {
  return error instanceof Failed ? error.problem : unreadable(0);
}

export function offline(): Problem {
  const words = WORDS[currentLanguage()];
  return { message: words.offline, hint: words.offlineHint, status: 0, fields: {} };
}

function unreadable(status: number): Problem {
  const words = WORDS[currentLanguage()];
  return { message: words.unreadable, hint: words.unreadableHint, status, fields: {} };
}

export async function problemOf(response: Response): Promise<Problem> {
  if (response.status === UNAUTHORIZED) logIn();
  try {
    return problemIn(await response.json(), response.status);
  } catch {
    return unreadable(response.status);
  }
}

export function problemIn(told: unknown, status: number): Problem {
  const { message, hint, details } = told as Partial<components["schemas"]["ProblemDocument"]>;
  if (!message) return unreadable(status);
  const wrong = (details?.["fields"] ?? []) as { field: string; row?: number; column?: string; message: string }[];
  const fields = Object.fromEntries(wrong.map(({ field, row, column, message: text }) => [row ? `${field}.${row}.${column}` : field, text]));
  return { message, hint: hint ?? "", status, fields };
}

/** A token was taken back, or its cookie has run out: the way in, and back here. */
function logIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/login?next=${encodeURIComponent(here)}`);
}
