"use client";

import { useEffect, useId, useRef, useState, type DragEvent } from "react";
import { problemFrom } from "@/api/client";
import { refusalOf, uploadFile, type Upload } from "@/api/files";
import type { FileRef } from "@/api/model";
import { useLanguage, useWords } from "@/preferences/language";
import { fileSize } from "@/parts/FilesView";
import { Icon } from "@/shell/Icon";
import { useUploadLimit } from "./useLimit";
import { FORMS } from "./words";

interface Props {
  id: string;
  label: string;
  files: readonly FileRef[];
  onFiles: (files: readonly FileRef[]) => void;
  /** Told while something is on its way: a form waits for it. */
  onBusy?: ((isBusy: boolean) => void) | undefined;
  accept?: string | undefined;
  several?: boolean;
  folder?: boolean;
  maxMb?: number | undefined;
  mostFiles?: number | undefined;
  /** The workflow that they are for: of some, files never touch the disk. */
  workflow?: string;
  describedBy?: string | undefined;
  isInvalid?: boolean;
  isSmall?: boolean;
  /** What was dropped or chosen elsewhere, to be taken as if it had been here. */
  given?: readonly File[] | undefined;
}

interface Sending {
  key: number;
  file: File;
  share: number;
  upload: Upload;
}

let counter = 0;

/** Files by drag and drop or from a dialog, sent at once; what can't be used is refused before it is sent. */
export function FilePicker(props: Props) {
  const { id, label, files, onFiles, onBusy, accept = "", several = false, folder = false, mostFiles, workflow = "" } = props;
  const words = useWords(FORMS);
  const language = useLanguage();
  const server = useUploadLimit();
  const limit = Math.min(props.maxMb ?? server, server);
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const there = useRef(files);
  there.current = files;
  const refusedId = useId();
  const number = new Intl.NumberFormat(language).format(limit);

  useEffect(() => onBusy?.(sending.length > 0), [sending.length, onBusy]);

  const take = (chosen: readonly File[]) => {
    const said: string[] = [];
    const wanted = several || folder ? chosen : chosen.slice(0, 1);
    const good = wanted.filter((file) => {
      const reason = refusalOf(file, accept, limit);
      if (reason !== null) said.push(words.refused[reason](file.name, endings(accept, words.comma), number));
      return reason === null;
    });
    const room = several || folder ? (mostFiles ?? Infinity) - there.current.length : 1;
    if (good.length > room) said.push(words.tooMany(mostFiles ?? 1));
    setRefusals(said);
    for (const file of good.slice(0, Math.max(0, room))) send(file);
  };

  const send = (file: File) => {
    counter += 1;
    const key = counter;
    const tell = (share: number) =>
      setSending((before) => before.map((each) => (each.key === key ? { ...each, share } : each)));
    const upload = uploadFile(file, workflow, tell);
    setSending((before) => [...before, { key, file, share: 0, upload }]);
    upload.promise
      .then(
        (reference) => {
          const next = several || folder ? [...there.current.filter((each) => each.name !== reference.name), reference] : [reference];
          there.current = next;
          onFiles(next);
        },
        (error: unknown) => {
          const { message, hint } = problemFrom(error);
          setRefusals((before) => [...before, `${file.name}：${message} ${hint}`]);
        },
      )
      .finally(() => setSending((before) => before.filter((each) => each.key !== key)));
  };

  const { given } = props;
  const taken = useRef<readonly File[] | undefined>(undefined);
  useEffect(() => {
    if (given === undefined || given.length === 0 || taken.current === given) return;
    taken.current = given;
    take(given);
  });

  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  const button = folder ? words.pickFolder : several ? words.pickSeveral : words.pick;
  return (
    <div className="picker-part">
      <div
        className="picker"
        data-over={isOver || undefined}
        data-small={props.isSmall || undefined}
        data-invalid={props.isInvalid || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Icon name="upload" />
        <p>
          <span className="picker-drop">
            {words.drop} {words.or}{" "}
          </span>
          <button type="button" className="link" onClick={() => input.current?.click()}>
            {button}
          </button>
        </p>
        {accept && (
          <p className="quiet picker-accept">
            {words.accepts(endings(accept, words.comma))} · {words.limit(number)}
          </p>
        )}
        <input
          ref={input}
          id={id}
          type="file"
          className="aloud"
          aria-label={label}
          aria-describedby={[props.describedBy, refusals.length > 0 ? refusedId : ""].filter(Boolean).join(" ") || undefined}
          aria-invalid={props.isInvalid || refusals.length > 0 || undefined}
          accept={folder ? undefined : accept || undefined}
          multiple={several || folder}
          {...(folder ? { webkitdirectory: "" } : {})}
          onChange={(event) => {
            take([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </div>
      {refusals.length > 0 && (
        <div id={refusedId} className="field-problem" role="alert">
          {refusals.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
      {(files.length > 0 || sending.length > 0) && (
        <ul className="picked">
          {files.map((file) => (
            <li key={file.name + file.file_id}>
              <Icon name="document" />
              <span className="file-name">{file.name}</span>
              <span className="quiet">{fileSize(file.size, language)}</span>
              <button type="button" className="plain" aria-label={words.remove(file.name)} onClick={() => onFiles(files.filter((each) => each !== file))}>
                <Icon name="close" />
              </button>
            </li>
          ))}
          {sending.map(({ key, file, share, upload }) => (
            <li key={key}>
              <Icon name="upload" />
              <span className="file-name">{file.name}</span>
              <progress value={share} max={1} aria-label={words.uploading(file.name, Math.round(share * 100))} />
              <button
                type="button"
                className="plain"
                aria-label={words.stop(file.name)}
                onClick={() => {
                  upload.stop();
                  setSending((before) => before.filter((each) => each.key !== key));
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const MOST_ENDINGS = 12;

/** `.xlsx,.csv` as people read it. */
export function endings(accept: string, comma: string): string {
  const kinds = accept.split(",").map((kind) => kind.trim()).filter(Boolean);
  const said = kinds.slice(0, MOST_ENDINGS).map((kind) => kind.replace(/^\./, "").toUpperCase());
  return said.join(comma) + (kinds.length > MOST_ENDINGS ? "…" : "");
}
