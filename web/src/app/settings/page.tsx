"use client";

import Link from "next/link";
import { readAbout } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { readChecks } from "@/api/workplace";
import { chooseLanguage, useLanguage, useWords } from "@/preferences/language";
import { chooseTheme, useTheme } from "@/preferences/theme";
import { EngineForm } from "@/settings/EngineForm";
import { SETTINGS } from "@/settings/words";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";
import "@/styles/lists.css";
import "@/styles/settings.css";

export default function Settings() {
  const words = useWords(SETTINGS);
  const shell = useWords(SHELL);
  return (
    <Page title={shell.settings} lead={words.lead} width="text">
      <div className="stack">
        <Appearance />
        <EngineForm />
        <Checks />
        <About />
      </div>
    </Page>
  );
}

function Appearance() {
  const words = useWords(SETTINGS);
  const language = useLanguage();
  const theme = useTheme();
  return (
    <section className="section">
      <h2>{words.appearance}</h2>
      <div className="setting">
        <span>{words.language}</span>
        <div className="segments" role="group" aria-label={words.language}>
          {(["ja", "en"] as const).map((each) => (
            <button key={each} type="button" lang={each} aria-pressed={language === each} onClick={() => chooseLanguage(each)}>
              {each === "ja" ? "日本語" : "English"}
            </button>
          ))}
        </div>
      </div>
      <div className="setting">
        <span>{words.theme}</span>
        <div className="segments" role="group" aria-label={words.theme}>
          {(["light", "dark"] as const).map((each) => (
            <button key={each} type="button" aria-pressed={theme === each} onClick={() => chooseTheme(each)}>
              {words[each]}
            </button>
          ))}
        </div>
      </div>
    </section>
  );
}

const TONES = { ok: "good", warning: "caution", broken: "bad" } as const;

function Checks() {
  const words = useWords(SETTINGS);
  const { value: checks, problem, again } = useAnswer(readChecks);
  return (
    <section className="section">
      <h2>{words.checks}</h2>
      {problem && <ProblemNote problem={problem} retry={again} />}
      {checks === null && !problem && <Loading />}
      {checks?.length === 0 && <p className="quiet">{words.checksNone}</p>}
      <ul className="checks">
        {checks?.map((check) => (
          <li key={check.name}>
            <span className="tag" data-tone={TONES[check.level]}>
              {words.level[check.level]}
            </span>
            <div>
              <p className="check-title">{check.title}</p>
              <p className="quiet">{check.text}</p>
              {check.hint && check.level !== "ok" && <p className="quiet">{check.hint}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function About() {
  const words = useWords(SETTINGS);
  const { value: about } = useAnswer(readAbout);
  return (
    <section className="section">
      <h2>{words.about}</h2>
      <dl className="facts">
        <div className="fact">
          <dt>{words.version}</dt>
          <dd>{about?.version ?? "–"}</dd>
        </div>
        <div className="fact">
          <dt>{words.upload}</dt>
          <dd>{about ? `${about.max_upload_mb} MB` : "–"}</dd>
        </div>
        <div className="fact">
          <dt>{words.links}</dt>
          <dd className="links">
            <a href="/api/docs">{words.api}</a>
            <a href="/graphql">{words.graphql}</a>
            <a href="/streamlit/">{words.streamlit}</a>
            <Link href="/cluster" prefetch={false}>
              {words.cluster}
            </Link>
          </dd>
        </div>
      </dl>
    </section>
  );
}
