"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { chooseLanguage, Speaking, useLanguage, useWords } from "@/preferences/language";
import { chooseTheme, useTheme } from "@/preferences/theme";
import { Icon } from "./Icon";
import { Palette, PaletteButton } from "./Palette";
import { PLACES, type PlaceName } from "./places";
import { isOverdue, useLookingForWaiting, useMine } from "./waiting";
import { SHELL } from "./words";

// Nobody drags files before the page is there.
const DropAnywhere = dynamic(() => import("@/home/DropAnywhere").then((module) => module.DropAnywhere), { ssr: false });

const BY_THUMB: readonly PlaceName[] = ["home", "analysis", "research", "inbox"];

/** The frame of every page: what there is, where one is, and how it is shown. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <Speaking>
      <Frame>{children}</Frame>
    </Speaking>
  );
}

const WARM_UP_MS = 1500;
const never = () => () => undefined;

function Frame({ children }: { children: ReactNode }) {
  // Pages speak the reader's language from their first word; the file that was built is in Japanese.
  const isThere = useSyncExternalStore(never, () => true, () => false);
  const words = useWords(SHELL);
  const path = usePathname();
  const [isOpen, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const search = useCallback(() => setSearching(true), []);
  useLookingForWaiting();
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    // What nearly every run needs, got while nobody waits for it.
    const warmUp = () => Promise.all([import("@/parts/Markdown"), import("@/parts/TableView")]);
    // Where it fails, whoever needs it gets it, or says why not.
    const timer = setTimeout(() => void warmUp().catch(() => undefined), WARM_UP_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        {words.skip}
      </a>
      <header className="topbar">
        <Brand />
        <span className="topbar-buttons">
          <PaletteButton isSmall onOpen={search} />
          <button type="button" className="plain" aria-label={words.openMenu} onClick={() => setOpen(true)}>
            <Icon name="menu" />
          </button>
        </span>
      </header>
      <aside className="sidebar">
        <Brand />
        <PaletteButton onOpen={search} />
        <Navigation />
        <Preferences />
      </aside>
      <Palette isOpen={isSearching} setOpen={setSearching} />
      <Drawer isOpen={isOpen} onClose={() => setOpen(false)} />
      <main id="main" tabIndex={-1}>
        {/* Until the page has named itself; a second title would be the one that counts. */}
        {isThere ? children : <title>Sanbo</title>}
      </main>
      <DropAnywhere />
      <nav className="thumbs" aria-label={words.menu}>
        {PLACES.filter((place) => BY_THUMB.includes(place.name)).map((place) => (
          <Link key={place.name} href={place.path} prefetch={false} aria-current={isAt(path, place.path)}>
            <Icon name={place.icon} />
            <span>{words[place.name]}</span>
            {place.name === "inbox" && <Count />}
          </Link>
        ))}
        <button type="button" onClick={() => setOpen(true)}>
          <Icon name="menu" />
          <span>{words.menu}</span>
        </button>
      </nav>
    </div>
  );
}

export function Brand() {
  const words = useWords(SHELL);
  return (
    <Link className="brand" href="/" prefetch={false} aria-label={`${words.product} · ${words.home}`}>
      <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect className="brand-ground" width="32" height="32" rx="8" />
        <path className="brand-peak" d="M8 22.500 16 7l8 15.500" />
        <path className="brand-lines" d="M11.400 16.200h9.200M8 25.500h16" />
      </svg>
      <span>{words.product}</span>
    </Link>
  );
}

const isAt = (path: string, place: string): "page" | undefined => (path === place ? "page" : undefined);

function Navigation() {
  const words = useWords(SHELL);
  const path = usePathname();
  return (
    <nav className="navigation" aria-label={words.navigation}>
      {(["top", "work", "materials"] as const).map((group) => (
        <div key={group} className="navigation-group">
          {group !== "top" && <p className="navigation-title">{words.groups[group]}</p>}
          <ul>
            {PLACES.filter((place) => place.group === group).map((place) => (
              <li key={place.name}>
                <Link href={place.path} prefetch={false} aria-current={isAt(path, place.path)}>
                  <Icon name={place.icon} />
                  <span>{words[place.name]}</span>
                  {place.name === "inbox" && <Count />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Count() {
  const words = useWords(SHELL);
  const mine = useMine();
  const count = mine.length;
  const late = mine.filter((run) => isOverdue(run.due_at)).length;
  if (count === 0) return null;
  return (
    <span className="count" data-late={late > 0 || undefined} aria-label={late > 0 ? words.late(count, late) : words.waiting(count)}>
      {count}
    </span>
  );
}

function Preferences() {
  const words = useWords(SHELL);
  const language = useLanguage();
  const theme = useTheme();
  const other = language === "ja" ? "en" : "ja";
  const change = theme === "dark" ? words.toLight : words.toDark;
  return (
    <div className="preferences">
      <button
        type="button"
        className="plain"
        lang={other}
        aria-label={words.switchLanguage}
        onClick={() => chooseLanguage(other)}
      >
        {words.otherLanguage}
      </button>
      <button
        type="button"
        className="plain"
        aria-label={change}
        title={change}
        onClick={() => chooseTheme(theme === "dark" ? "light" : "dark")}
      >
        <Icon name={theme === "dark" ? "sun" : "moon"} />
      </button>
    </div>
  );
}

function Drawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useWords(SHELL);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label={words.navigation}
      onClose={onClose}
      onClick={(event) => (event.target === dialog.current || (event.target as Element).closest("a")) && onClose()}
    >
      <div className="drawer-inside">
        <div className="drawer-top">
          <Brand />
          <button type="button" className="plain" aria-label={words.closeMenu} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <Navigation />
        <Preferences />
      </div>
    </dialog>
  );
}
