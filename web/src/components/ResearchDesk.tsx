"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { Speaking, useTexts } from "@/preferences/language";
import { useOpenRun } from "@/research/address";
import { useHistory } from "@/research/useHistory";
import { AskForm } from "./AskForm";
import { History } from "./History";
import { HistoryDrawer } from "./HistoryDrawer";
import { RunView } from "./RunView";
import { TopBar } from "./TopBar";

export function ResearchDesk() {
  return (
    <Speaking>
      <Desk />
    </Speaking>
  );
}

function Desk() {
  const texts = useTexts();
  const [runId, open] = useOpenRun();
  const history = useHistory();
  const [drawer, setDrawer] = useState(false);
  const [panel, setPanel] = useState(false);
  const main = useRef<HTMLElement>(null);

  useEffect(() => {
    document.title = `${texts.title} · ${texts.product}`;
  }, [texts]);

  const go = useCallback(
    (wanted: string | null) => {
      setDrawer(false);
      open(wanted);
      window.scrollTo({ top: 0 });
      if (wanted !== null) history.refresh();
    },
    [open, history.refresh],
  );

  return (
    <>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <TopBar onHome={() => go(null)} onHistory={() => setDrawer(true)} />
      <div className="desk" data-panel={panel || undefined}>
        <nav className="history" aria-label={texts.history.heading}>
          <History history={history} current={runId} onOpen={go} />
        </nav>
        <main id="content" ref={main} tabIndex={-1}>
          {runId === null ? (
            <div className="welcome">
              <h1>{texts.ask.heading}</h1>
              <p className="lead">{texts.ask.lead}</p>
              <AskForm onStarted={go} />
            </div>
          ) : (
            <RunView
              key={runId}
              runId={runId}
              sameSession={history.ofSession}
              onOpen={go}
              onEnded={history.refresh}
              onPanel={setPanel}
            />
          )}
        </main>
      </div>
      {drawer && (
        <HistoryDrawer onClose={() => setDrawer(false)}>
          <History history={history} current={runId} onOpen={go} />
        </HistoryDrawer>
      )}
    </>
  );
}
