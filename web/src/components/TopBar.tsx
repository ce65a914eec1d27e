"use client";

import { chooseLanguage, useSpoken, workbenchAddress } from "@/preferences/language";
import { chooseTheme, useTheme } from "@/preferences/theme";
import { Icon } from "./Icon";

export function TopBar({ onHome, onHistory }: { onHome: () => void; onHistory: () => void }) {
  const { language, texts } = useSpoken();
  const theme = useTheme();
  const other = language === "ja" ? "en" : "ja";
  return (
    <header className="top">
      <a
        className="brand"
        href="/research"
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onHome();
        }}
      >
        <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
          <path className="brand-ground" d="M7 0h18a7 7 0 0 1 7 7v18a7 7 0 0 1-7 7H7a7 7 0 0 1-7-7V7a7 7 0 0 1 7-7" />
          <path className="brand-peak" d="M8 22.5 16 7l8 15.5" />
          <path className="brand-lines" d="M11.4 16.2h9.2M8 25.5h16" />
        </svg>
        <span>{texts.product}</span>
        <span className="brand-part">{texts.title}</span>
      </a>
      <div className="top-actions">
        <button type="button" className="plain only-narrow" onClick={onHistory} aria-label={texts.history.open}>
          <Icon name="history" />
        </button>
        <a className="plain wide-words" href={workbenchAddress("/", language)}>
          {texts.workbench}
        </a>
        <button
          type="button"
          className="plain"
          lang={other}
          aria-label={texts.switchLanguage}
          onClick={() => chooseLanguage(other)}
        >
          {texts.otherLanguage}
        </button>
        <button
          type="button"
          className="plain"
          aria-label={theme === "dark" ? texts.toLight : texts.toDark}
          title={theme === "dark" ? texts.toLight : texts.toDark}
          onClick={() => chooseTheme(theme === "dark" ? "light" : "dark")}
        >
          <Icon name={theme === "dark" ? "sun" : "moon"} />
        </button>
      </div>
    </header>
  );
}
