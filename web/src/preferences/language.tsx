"use client";

import { createContext, useContext, useEffect, useSyncExternalStore, type ReactNode } from "react";
import { TEXTS, type Language, type Texts } from "@/texts";
import { createStore, remember, remembered } from "./store";

const KEY = "sanbo.language";
const PARAMETER = "lang";

function known(value: string | null | undefined): Language | null {
  return value === "ja" || value === "en" ? value : null;
}

/** As the address says, or as chosen before, or the first that the browser asks for. */
function initialLanguage(): Language {
  const asked = known(new URLSearchParams(window.location.search).get(PARAMETER));
  const chosen = known(remembered(KEY));
  const spoken = navigator.languages.map((tag) => known(tag.toLowerCase().split("-")[0]));
  return asked ?? chosen ?? spoken.find((language) => language !== null) ?? "ja";
}

const store = createStore(initialLanguage, (language) => {
  remember(KEY, language);
  const address = new URL(window.location.href);
  if (address.searchParams.has(PARAMETER)) {
    address.searchParams.set(PARAMETER, language);
    window.history.replaceState(null, "", address);
  }
});

export const currentLanguage = (): Language => store.get();
export const chooseLanguage = (language: Language): void => store.set(language);

interface Spoken {
  language: Language;
  texts: Texts;
}

const LanguageContext = createContext<Spoken>({ language: "ja", texts: TEXTS.ja });

export function Speaking({ children }: { children: ReactNode }) {
  const language = useSyncExternalStore(store.subscribe, store.get, () => "ja" as const);
  const texts = TEXTS[language];
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <LanguageContext value={{ language, texts }}>{children}</LanguageContext>;
}

export const useSpoken = (): Spoken => useContext(LanguageContext);
export const useTexts = (): Texts => useSpoken().texts;

/** The address of a page of the workbench, in the language spoken here. */
export function workbenchAddress(path: string, language: Language): string {
  return `${path}${path.includes("?") ? "&" : "?"}${PARAMETER}=${language}`;
}
