"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useWords } from "@/preferences/language";
import { handOver } from "@/shell/handover";
import { Icon } from "@/shell/Icon";
import { PLACES } from "@/shell/places";
import { SHELL } from "@/shell/words";
import { offersFor, type Offer } from "./offers";
import { HOME } from "./words";

/** Files may be let go anywhere on a page: what fits them is offered. */
export function DropAnywhere() {
  const words = useWords(HOME);
  const [isOver, setOver] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = () => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const over = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      setFiles([...(event.dataTransfer?.files ?? [])]);
    };
    // A field that takes files itself keeps them to itself; the sign has to go all the same.
    const end = () => {
      depth = 0;
      setOver(false);
    };
    window.addEventListener("dragenter", enter);
    window.addEventListener("dragleave", leave);
    window.addEventListener("dragover", over);
    window.addEventListener("drop", end, true);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragenter", enter);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", end, true);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return (
    <>
      {isOver && <div className="drop-sign">{words.dropNow}</div>}
      {files.length > 0 && <Offers files={files} onClose={() => setFiles([])} />}
    </>
  );
}

export function Offers({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const words = useWords(HOME).offer;
  const shell = useWords(SHELL);
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const offers = offersFor(files.map((file) => file.name));
  const choose = (offer: Offer) => {
    handOver(offer, files);
    const { pathname } = window.location;
    const place = `/${offer}`;
    onClose();
    // A page that is open already has taken what it was given.
    if (pathname === place) router.push(`${place}?new=${Date.now()}`);
    else router.push(place);
  };
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="offers-title" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <div className="dialog-inside">
        <div className="panel-top">
          <h2 id="offers-title">{words.title(files.length)}</h2>
          <span className="spring" />
          <button type="button" className="plain" aria-label={shell.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <p className="quiet">{files.slice(0, 5).map((file) => file.name).join("、")}{files.length > 5 && "…"}</p>
        <ul className="offers">
          {offers.map((offer) => (
            <li key={offer}>
              <button type="button" className="offer" onClick={() => choose(offer)}>
                <Icon name={PLACES.find((place) => place.name === offer)?.icon ?? "play"} />
                <span>
                  <b>{words[offer]}</b>
                  <span className="quiet">{words[`${offer}Lead`]}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
        {offers.length === 0 && (
          <div className="notice" role="alert">
            <p>{words.nothing}</p>
            <p>{words.nothingHint}</p>
          </div>
        )}
        {files.length === 1 && offers.includes("collections") && <p className="quiet">{words.oneMore}</p>}
      </div>
    </dialog>
  );
}
