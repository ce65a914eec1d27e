"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { listCollections } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { useLanguage, useWords } from "@/preferences/language";
import { takeOver } from "@/shell/handover";
import { Icon } from "@/shell/Icon";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { Time } from "@/shell/Time";
import { SHELL } from "@/shell/words";
import { Reading } from "./Reading";
import { COLLECTIONS } from "./words";

export const collectionAddress = (name: string): string => `/collections?${new URLSearchParams({ name })}`;

export function CollectionsPage() {
  const words = useWords(COLLECTIONS);
  const shell = useWords(SHELL);
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const { value: collections, problem, again } = useAnswer(listCollections);
  return (
    <Page title={shell.collections} lead={words.lead}>
      {problem && <ProblemNote problem={problem} retry={again} />}
      {collections === null && !problem && <Loading />}
      {collections && (
        <div className="stack">
          {collections.length === 0 && (
            <Empty title={words.none}>
              <p>{words.noneHint}</p>
            </Empty>
          )}
          <ul className="tiles">
            {collections.map((collection) => (
              <li key={collection.name}>
                <Link className="tile" href={collectionAddress(collection.name)} prefetch={false}>
                  <span className="tile-head">
                    <Icon name="books" />
                    <span className="tile-title">{collection.name}</span>
                  </span>
                  <span className="tile-foot quiet">
                    <span>{words.documents(number.format(collection.documents))}</span>
                    <span>{words.passages(number.format(collection.chunks))}</span>
                    <span>
                      {words.updated} <Time of={collection.updated_at} />
                    </span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
          <NewCollection onRead={again} />
        </div>
      )}
    </Page>
  );
}

function NewCollection({ onRead }: { onRead: () => void }) {
  const words = useWords(COLLECTIONS);
  const router = useRouter();
  const id = useId();
  const [name, setName] = useState("");
  const [isMissing, setMissing] = useState(false);
  const [given] = useState(() => takeOver("collections"));
  return (
    <section className="section card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{words.create}</h2>
      <div className="field">
        <label className="label" htmlFor={id}>
          {words.name}
        </label>
        <input
          id={id}
          className="input"
          value={name}
          maxLength={100}
          aria-invalid={isMissing || undefined}
          aria-describedby={`${id}-help`}
          onChange={(event) => {
            setName(event.target.value);
            setMissing(false);
          }}
        />
        <p id={`${id}-help`} className={isMissing ? "field-problem" : "field-help"}>
          {isMissing ? words.nameMissing : words.nameHint}
        </p>
      </div>
      <Reading
        collection={name.trim()}
        label={words.createRead}
        given={given}
        onRefused={() => {
          setMissing(true);
          document.getElementById(id)?.focus();
        }}
        onRead={(count) => {
          onRead();
          if (count > 0) router.push(collectionAddress(name.trim()));
        }}
      />
    </section>
  );
}
