/** Requests to the API of the server that this page came from, and what can go wrong with them. */

import { currentLanguage } from "@/preferences/language";
import { TEXTS } from "@/texts";
import type { components } from "./schema";

export const API = "/api/v1";
const GRAPHQL = "/graphql";

/** What a person is told when something fails. */
export interface Problem {
  message: string;
  hint: string;
  status: number;
}

export class Failed extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

type Method = "GET" | "POST" | "DELETE";

interface Sent {
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** The answer as JSON; every failure is a `Failed` with words in the language of the page. */
export function request<T>(method: Method, path: string, sent: Sent = {}): Promise<T> {
  return send(method, API + path, sent);
}

interface Answered<T> {
  data: T | null;
  errors?: { message: string; extensions?: { hint?: string } }[];
}

export async function query<T>(text: string, variables: Record<string, unknown>): Promise<T> {
  const answer = await send<Answered<T>>("POST", GRAPHQL, { body: { query: text, variables } });
  if (answer.data !== null) return answer.data;
  const error = answer.errors?.[0];
  if (error === undefined) throw new Failed(unreadable(0));
  throw new Failed({ message: error.message, hint: error.extensions?.hint ?? "", status: 0 });
}

async function send<T>(method: Method, address: string, { body, signal }: Sent): Promise<T> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    "Accept-Language": currentLanguage(),
  };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(address, {
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

function offline(): Problem {
  const words = TEXTS[currentLanguage()].problem;
  return { message: words.offline, hint: words.offlineHint, status: 0 };
}

function unreadable(status: number): Problem {
  const words = TEXTS[currentLanguage()].problem;
  return { message: words.unreadable, hint: words.unreadableHint, status };
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const told = (await response.json()) as Partial<components["schemas"]["ProblemDocument"]>;
    if (!told.message) return unreadable(response.status);
    return { message: told.message, hint: told.hint ?? "", status: response.status };
  } catch {
    return unreadable(response.status);
  }
}
