"use client";

import Link from "next/link";
import { useCallback, useRef, useState } from "react";
import { listRuns } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { Offers } from "@/home/DropAnywhere";
import { SampleButton } from "@/home/SampleButton";
import { Sketch } from "@/home/Sketch";
import { HOME } from "@/home/words";
import { useWords } from "@/preferences/language";
import { RunList } from "@/runs/RunList";
import { Icon } from "@/shell/Icon";
import { Page } from "@/shell/Page";
import { useHasLooked, useWaiting } from "@/shell/waiting";
import { SHELL } from "@/shell/words";
import "@/styles/home.css";
import "@/styles/questions.css";

const CARDS = [
  { place: "analysis", workflow: "analysis" },
  { place: "research", workflow: "research" },
  { place: "ask", workflow: "grace" },
  { place: "compare", workflow: "comparison" },
  { place: "plans", workflow: "plan" },
] as const;
const MOST_RECENT = 6;

/** What Sanbo is, what it can do with what is at hand, what waits, what was done last. */
export default function HomePage() {
  const words = useWords(HOME);
  const shell = useWords(SHELL);
  const hasLooked = useHasLooked();
  return (
    <Page title={words.title} tabTitle={shell.home} lead={words.lead}>
      {hasLooked && <Content />}
    </Page>
  );
}

function Content() {
  const words = useWords(HOME);
  const shell = useWords(SHELL);
  const waiting = useWaiting();
  const ask = useCallback((signal: AbortSignal) => listRuns({ limit: MOST_RECENT }, signal), []);
  const recent = useAnswer(ask).value?.runs ?? [];
  return (
    <>
      {waiting.length > 0 && (
        <section className="recent home-waiting">
          <h2>{words.waiting}</h2>
          <RunList runs={waiting.slice(0, MOST_RECENT)} />
        </section>
      )}
      <ul className="cards">
        {CARDS.map(({ place, workflow }) => (
          <li key={place} className="home-card">
            <Sketch of={place} />
            <h2>{shell[place]}</h2>
            <p>{words.cards[place]}</p>
            <div className="home-actions">
              <Link className="button small" href={`/${place}`} prefetch={false} aria-label={`${shell[place]}：${words.open}`}>
                {words.open}
              </Link>
              <SampleButton workflow={workflow} />
            </div>
          </li>
        ))}
        <li className="home-card home-drop">
          <DropHere />
        </li>
      </ul>
      {recent.length > 0 && (
        <section className="recent">
          <h2>{words.recent}</h2>
          <RunList runs={recent} />
          <p>
            <Link href="/runs" prefetch={false}>
              {words.all}
            </Link>
          </p>
        </section>
      )}
    </>
  );
}

/** For those who do not drag: the same offers for files that are chosen. */
function DropHere() {
  const words = useWords(HOME);
  const input = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  return (
    <>
      <Icon name="upload" />
      <h2>{words.drop}</h2>
      <p>{words.dropLead}</p>
      <button type="button" className="button small" onClick={() => input.current?.click()}>
        {words.pick}
      </button>
      <input
        ref={input}
        className="aloud"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={words.pick}
        onChange={(event) => {
          setFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {files.length > 0 && <Offers files={files} onClose={() => setFiles([])} />}
    </>
  );
}
