"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";
import { problemFrom, request, type Problem } from "@/api/client";
import { deleteCollection, listDocuments, removeDocument } from "@/api/collections";
import type { Collection, IndexedDocument } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { fileSize } from "@/parts/FilesView";
import { useLanguage, useWords } from "@/preferences/language";
import { useParameter } from "@/shell/address";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SearchField } from "@/shell/SearchField";
import { Time } from "@/shell/Time";
import { Reading } from "./Reading";
import { Search } from "./Search";
import { COLLECTIONS } from "./words";

const TABS = ["search", "documents", "add"] as const;

/** One collection: searched, looked through, added to. */
export function CollectionPage({ name }: { name: string }) {
  const words = useWords(COLLECTIONS);
  const language = useLanguage();
  const router = useRouter();
  const number = new Intl.NumberFormat(language);
  const [view, setView] = useParameter("view");
  const tab = TABS.find((each) => each === view) ?? "search";
  const ask = useCallback((signal: AbortSignal) => request<Collection>("GET", `/collections/${encodeURIComponent(name)}`, { signal }), [name]);
  const { value: info, problem, again } = useAnswer(ask);
  const [failure, setFailure] = useState<Problem | null>(null);
  const remove = async () => {
    if (!window.confirm(words.deleteSure(name))) return;
    try {
      await deleteCollection(name);
      router.push("/collections");
    } catch (error) {
      setFailure(problemFrom(error));
    }
  };
  return (
    <Page
      title={name}
      lead={
        info && (
          <>
            {words.documents(number.format(info.documents))} · {words.passages(number.format(info.chunks))} · {words.updated}{" "}
            <Time of={info.updated_at} />
          </>
        )
      }
      actions={
        <>
          <Link className="button small" href={`/research?${new URLSearchParams({ collection: name })}`} prefetch={false}>
            <Icon name="search" />
            {words.research}
          </Link>
          <button type="button" className="button small danger" onClick={() => void remove()}>
            <Icon name="trash" />
            {words.deleteAll}
          </button>
          <Link className="button small" href="/collections" prefetch={false}>
            <Icon name="back" />
            {words.back}
          </Link>
        </>
      }
    >
      {(problem ?? failure) && <ProblemNote problem={(problem ?? failure) as Problem} retry={again} />}
      {info === null && !problem && <Loading />}
      {info && (
        <div className="stack">
          <div className="segments" role="group" aria-label={name}>
            {TABS.map((each) => (
              <button key={each} type="button" aria-pressed={tab === each} onClick={() => setView(each, true)}>
                {words.tabs[each]}
              </button>
            ))}
          </div>
          {tab === "search" && <Search collection={name} />}
          {tab === "documents" && <Documents collection={name} onRemoved={again} />}
          {tab === "add" && <Reading collection={name} label={words.read} onRead={again} />}
        </div>
      )}
    </Page>
  );
}

function Documents({ collection, onRemoved }: { collection: string; onRemoved: () => void }) {
  const words = useWords(COLLECTIONS);
  const [typed, setTyped] = useState("");
  const [older, setOlder] = useState<readonly IndexedDocument[]>([]);
  const [offset, setOffset] = useState(0);
  const [failure, setFailure] = useState<Problem | null>(null);
  const ask = useCallback((signal: AbortSignal) => listDocuments(collection, typed.trim(), offset, signal), [collection, typed, offset]);
  const { value, problem, again } = useAnswer(ask);
  const documents = [...older, ...(value?.documents ?? [])];
  const remove = async (document: IndexedDocument) => {
    if (!window.confirm(words.removeSure(document.name))) return;
    try {
      await removeDocument(collection, document.document_id);
      setOlder([]);
      setOffset(0);
      again();
      onRemoved();
    } catch (error) {
      setFailure(problemFrom(error));
    }
  };
  return (
    <div className="section">
      <SearchField
        label={words.findDocument}
        value={typed}
        onChange={(next) => {
          setTyped(next);
          setOlder([]);
          setOffset(0);
        }}
      />
      {(problem ?? failure) && <ProblemNote problem={(problem ?? failure) as Problem} retry={again} />}
      {value && documents.length === 0 && <p className="quiet">{words.noDocuments}</p>}
      <ul className="rows">
        {documents.map((document) => (
          <DocumentRow key={document.document_id} document={document} onRemove={() => void remove(document)} />
        ))}
      </ul>
      {value?.next !== null && value?.next !== undefined && (
        <button
          type="button"
          className="button"
          onClick={() => {
            setOlder(documents);
            setOffset(value.next ?? 0);
          }}
        >
          {words.more}
        </button>
      )}
    </div>
  );
}

function DocumentRow({ document, onRemove }: { document: IndexedDocument; onRemove: () => void }) {
  const words = useWords(COLLECTIONS);
  const language = useLanguage();
  return (
    <li className="row">
      <Icon name="document" />
      <span className="row-title">
        {document.name}
        {document.warnings.length > 0 && (
          <details className="small-details">
            <summary>{words.notes(document.warnings.length)}</summary>
            {document.warnings.map((warning, at) => (
              <p key={at} className="quiet">
                {warning.message}
              </p>
            ))}
          </details>
        )}
      </span>
      <span className="quiet">
        {document.pages ? `${words.pages(document.pages)} · ` : ""}
        {fileSize(document.size, language)}
      </span>
      <button type="button" className="plain" aria-label={words.remove(document.name)} onClick={onRemove}>
        <Icon name="trash" />
      </button>
    </li>
  );
}
