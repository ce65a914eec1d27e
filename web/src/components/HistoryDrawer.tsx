"use client";

import { useEffect, useRef, type ReactNode } from "react";
import { useSpoken, workbenchAddress } from "@/preferences/language";
import { Icon } from "./Icon";

/** The history where there is no room beside the page. */
export function HistoryDrawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { language, texts } = useSpoken();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label={texts.history.heading}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div className="drawer-inside">
        <button type="button" className="plain drawer-close" aria-label={texts.close} onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
        {children}
        <p className="drawer-end">
          <a href={workbenchAddress("/", language)}>{texts.workbench}</a>
        </p>
      </div>
    </dialog>
  );
}
