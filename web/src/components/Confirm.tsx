"use client";

import { useEffect, useId, useRef } from "react";
import { useTexts } from "@/preferences/language";

interface Props {
  title: string;
  text: string;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks once more before something is gone for good; focus begins on the way out. */
export function Confirm({ title, text, action, onConfirm, onClose }: Props) {
  const texts = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="confirm"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onClose}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-text`}>{text}</p>
      <div className="confirm-actions">
        <button type="button" className="button" autoFocus onClick={() => dialog.current?.close()}>
          {texts.cancel}
        </button>
        <button
          type="button"
          className="button danger"
          onClick={() => {
            onConfirm();
            dialog.current?.close();
          }}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
