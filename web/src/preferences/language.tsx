"use client";

import { createContext, useContext, useEffect, useSyncExternalStore, type ReactNode } from "react";
import { createStore, remember, remembered } from "./store";
import type { Language, Words } from "./words";

export type { Language };

export const LANGUAGE_KEY = "sanbo.language";
const PARAMETER = "lang";

function known(value: string | null | undefined): Language | null {
  return value === "ja" || value === "en" ? value : null;
}

/** As the address says, or as chosen before, or the first that the browser asks for. */
function initialLanguage(): Language {
  const asked = known(new URLSearchParams(window.location.search).get(PARAMETER));
  const chosen = known(remembered(LANGUAGE_KEY));
  const spoken = navigator.languages.map((tag) => known(tag.toLowerCase().split("-")[0]));
  return asked ?? chosen ?? spoken.find((language) => language !== null) ?? "ja";
}

const store = createStore(initialLanguage, (language) => {
  remember(LANGUAGE_KEY, language);
  const address = new URL(window.location.href);
  if (address.searchParams.has(PARAMETER)) {
    address.searchParams.set(PARAMETER, language);
    window.history.replaceState(null, "", address);
  }
});

export const currentLanguage = (): Language => store.get();
export const chooseLanguage = (language: Language): void => store.set(language);

const LanguageContext = createContext<Language>("ja");

export function Speaking({ children }: { children: ReactNode }) {
  const language = useSyncExternalStore(store.subscribe, store.get, () => "ja" as const);
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset.ready = "";
  }, [language]);
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

export const useLanguage = (): Language => useContext(LanguageContext);
export const useWords = <T,>(words: Words<T>): T => words[useLanguage()];
