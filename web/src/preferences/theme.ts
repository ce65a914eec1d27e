"use client";

import { useSyncExternalStore } from "react";
import { createStore, remember, remembered } from "./store";
import { THEME_KEY } from "./themeScript";

export type Theme = "light" | "dark";

const DARK = "(prefers-color-scheme: dark)";

function initialTheme(): Theme {
  const chosen = remembered(THEME_KEY);
  if (chosen === "light" || chosen === "dark") return chosen;
  return window.matchMedia(DARK).matches ? "dark" : "light";
}

const store = createStore(initialTheme, (theme) => {
  remember(THEME_KEY, theme);
  document.documentElement.dataset.theme = theme;
});

export const chooseTheme = (theme: Theme): void => store.set(theme);
export const currentTheme = (): Theme => store.get();

export function useTheme(): Theme {
  return useSyncExternalStore(store.subscribe, store.get, () => "light" as const);
}
