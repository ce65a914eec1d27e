"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { keepDraft, readDraft, resetDraft } from "@/api/drafts";
import type { Json, JsonObject, Requirement } from "@/api/model";

export type Values = Readonly<Record<string, Json | undefined>>;

export interface Draft {
  values: Values;
  change: (id: string, value: Json | undefined) => void;
  /** Forgets what was typed: it was sent, or is not wanted. */
  reset: () => void;
  isReady: boolean;
  isSaved: boolean;
  isRestored: boolean;
  /** Labels of fields whose kept value no longer fits. */
  dropped: readonly string[];
}

const PAUSE_MS = 400;

interface Kept {
  values: JsonObject;
  /** Type and label of each field when it was filled in. */
  fields: Record<string, { type: string; label: string }>;
}

function defaults(requirements: readonly Requirement[]): Record<string, Json | undefined> {
  return Object.fromEntries(requirements.map((field) => [field.id, field.default ?? undefined]));
}

/** What is typed into a form, kept by the server while it is typed; passwords are not.
 *
 * Where the form has changed since, what still fits is carried over and the rest is named.
 */
export function useDraft(key: string, requirements: readonly Requirement[]): Draft {
  const [values, setValues] = useState<Values>(() => defaults(requirements));
  const [isReady, setReady] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [isRestored, setRestored] = useState(false);
  const [dropped, setDropped] = useState<readonly string[]>([]);
  const fields = useRef(requirements);
  fields.current = requirements;
  const latest = useRef<Values>(values);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useEffect(() => {
    const stop = new AbortController();
    const began = defaults(fields.current);
    latest.current = began;
    setValues(began);
    setReady(false);
    readDraft(key, stop.signal)
      .then((content) => {
        const kept = content as unknown as Kept | null;
        if (kept?.values === undefined) return;
        const known = new Map(fields.current.map((field) => [field.id, field.type]));
        const fitting = Object.entries(kept.values).filter(
          ([id]) => !(id in kept.fields) || known.get(id) === kept.fields[id]?.type,
        );
        const left = Object.entries(kept.fields).filter(([id, { type }]) => id in kept.values && known.get(id) !== type);
        // What was typed before the draft had come is newer.
        latest.current = { ...began, ...Object.fromEntries(fitting), ...changedSince(latest.current, began) };
        setValues(latest.current);
        setDropped(left.map(([, { label }]) => label));
        setRestored(fitting.length > 0);
      })
      .catch(() => undefined) // without a draft the form starts afresh; sending says what is wrong
      .finally(() => stop.signal.aborted || setReady(true));
    return () => {
      stop.abort();
      clearTimeout(timer.current);
    };
  }, [key]);

  const save = useCallback(() => {
    const secret = new Set(fields.current.filter((field) => field.secret).map((field) => field.id));
    const typed = Object.entries(latest.current).filter(([id, value]) => value !== undefined && !secret.has(id));
    const described = fields.current.map(({ id, type, label }) => [id, { type, label }]);
    const content = { values: Object.fromEntries(typed), fields: Object.fromEntries(described) };
    keepDraft(key, content as unknown as JsonObject).then(
      () => setSaved(true),
      () => setSaved(false),
    );
  }, [key]);

  const change = useCallback(
    (id: string, value: Json | undefined) => {
      latest.current = { ...latest.current, [id]: value };
      setValues(latest.current);
      setSaved(false);
      clearTimeout(timer.current);
      timer.current = setTimeout(save, PAUSE_MS);
    },
    [save],
  );

  const reset = useCallback(() => {
    clearTimeout(timer.current);
    latest.current = defaults(fields.current);
    setValues(latest.current);
    setSaved(false);
    setRestored(false);
    setDropped([]);
    void resetDraft(key).catch(() => undefined);
  }, [key]);

  return { values, change, reset, isReady, isSaved, isRestored, dropped };
}

function changedSince(now: Values, began: Values): Values {
  return Object.fromEntries(Object.entries(now).filter(([id, value]) => value !== began[id]));
}
