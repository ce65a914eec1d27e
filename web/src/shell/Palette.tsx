"use client";

import { useRouter } from "next/navigation";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { createPortal } from "react-dom";
import type { RunSummary } from "@/api/model";
import { listPlans } from "@/api/plans";
import { listCollections, listRuns } from "@/api/runs";
import { inBoth } from "@/preferences/words";
import { useWords } from "@/preferences/language";
import { Icon, type IconName } from "./Icon";
import { copyAddress, studioAddress } from "@/studio/addresses";
import { addressOf, iconOf, PLACES } from "./places";
import { SHELL } from "./words";

const WORDS = inBoth(
  {
    open: "検索と移動",
    label: "ページ、実行、プラン、コレクションを探す",
    none: "見つかりませんでした。",
    groups: { page: "ページ", run: "実行", plan: "プラン", design: "プランの設計", collection: "コレクション" },
  },
  {
    open: "Search and go",
    label: "Find pages, runs, plans, collections",
    none: "Nothing was found.",
    groups: { page: "Page", run: "Run", plan: "Plan", design: "Design a plan", collection: "Collection" },
  },
);

interface Goal {
  kind: "page" | "run" | "plan" | "design" | "collection";
  title: string;
  address: string;
  icon: IconName;
}

const MOST_RUNS = 6;
const MOST_SHOWN = 12;
const PAUSE_MS = 150;

interface Props {
  isOpen: boolean;
  setOpen: (change: (before: boolean) => boolean) => void;
}

/** ⌘K or Ctrl+K, or one of its buttons: everything that has an address, by its name. */
export function Palette({ isOpen, setOpen }: Props) {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [setOpen]);
  return isOpen ? createPortal(<Search onClose={() => setOpen(() => false)} />, document.body) : null;
}

/** `isSmall`: on a phone, where nobody has a Ctrl key. */
export function PaletteButton({ onOpen, isSmall = false }: { onOpen: () => void; isSmall?: boolean }) {
  const words = useWords(WORDS);
  if (isSmall) {
    return (
      <button type="button" className="plain" aria-label={words.open} onClick={onOpen}>
        <Icon name="search" />
      </button>
    );
  }
  return (
    <button type="button" className="palette-button" onClick={onOpen}>
      <Icon name="search" />
      <span>{words.open}</span>
      <kbd>Ctrl K</kbd>
    </button>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const words = useWords(WORDS);
  const shell = useWords(SHELL);
  const router = useRouter();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [others, setOthers] = useState<readonly Goal[]>([]);
  const [runs, setRuns] = useState<readonly RunSummary[]>([]);
  const [at, setAt] = useState(0);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    // What can't be fetched can't be found; the page that it belongs to says why.
    void Promise.allSettled([listPlans(stop.signal), listCollections(stop.signal)]).then(([plans, collections]) => {
      if (stop.signal.aborted) return;
      setOthers([
        ...(plans.status === "fulfilled" ? plans.value : []).map(
          ({ plan_id, title }): Goal => ({ kind: "plan", title: title || plan_id, address: `/plans?${new URLSearchParams({ plan: plan_id })}`, icon: "plan" }),
        ),
        ...(plans.status === "fulfilled" ? plans.value : []).map(
          ({ plan_id, title, origin }): Goal => ({ kind: "design", title: title || plan_id, address: origin === "sample" ? copyAddress(plan_id) : studioAddress(plan_id), icon: "plan" }),
        ),
        ...(collections.status === "fulfilled" ? collections.value : []).map(
          ({ name }): Goal => ({ kind: "collection", title: name, address: `/collections?${new URLSearchParams({ name })}`, icon: "books" }),
        ),
      ]);
    });
    return () => stop.abort();
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      listRuns({ containing: typed.trim(), limit: MOST_RUNS }, stop.signal).then(
        (page) => setRuns(page.runs),
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [typed]);

  const goals = useMemo(() => {
    const wanted = typed.trim().toLowerCase();
    const pages = PLACES.map(({ name, path, icon }): Goal => ({ kind: "page", title: shell[name], address: path, icon }));
    const named = [...pages, ...others].filter((goal) => goal.title.toLowerCase().includes(wanted));
    const found = runs
      .filter((run) => run.title)
      .map((run): Goal => ({ kind: "run", title: run.title, address: addressOf(run), icon: iconOf(run.workflow) }));
    return [...named.slice(0, wanted ? MOST_SHOWN : PLACES.length), ...found];
  }, [typed, others, runs, shell]);

  const go = (goal: Goal | undefined) => {
    if (goal === undefined) return;
    onClose();
    router.push(goal.address);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return; // Enter ends a conversion of kana, too
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((before) => (before + (event.key === "ArrowDown" ? 1 : goals.length - 1)) % Math.max(1, goals.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(goals[at]);
    }
  };
  useEffect(() => {
    // Some browsers answer with a promise, which is nothing to clean up by.
    void document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, id]);
  return (
    <dialog ref={dialog} className="palette" aria-label={words.open} onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <div className="palette-inside">
        <div className="palette-line">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            autoFocus
            aria-expanded
            aria-controls={`${id}-list`}
            aria-activedescendant={goals.length > 0 ? `${id}-${at}` : undefined}
            aria-label={words.label}
            placeholder={words.label}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKey}
          />
        </div>
        <ul id={`${id}-list`} role="listbox" aria-label={words.open} className="palette-list">
          {goals.map((goal, number) => (
            <li
              key={goal.kind + goal.address}
              id={`${id}-${number}`}
              role="option"
              aria-selected={number === at}
              onMouseMove={() => setAt(number)}
              onClick={() => go(goal)}
            >
              <Icon name={goal.icon} />
              <span>{goal.title}</span>
              <span className="quiet">{words.groups[goal.kind]}</span>
            </li>
          ))}
        </ul>
        {goals.length === 0 && <p className="quiet palette-none">{words.none}</p>}
      </div>
    </dialog>
  );
}
