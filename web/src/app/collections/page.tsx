"use client";

import { CollectionPage } from "@/collections/CollectionPage";
import { CollectionsPage } from "@/collections/CollectionsPage";
import { useParameter } from "@/shell/address";
import "@/styles/lists.css";
import "@/styles/collections.css";

/** The collections there are, or one of them. */
export default function Collections() {
  const [name] = useParameter("name");
  return name === null ? <CollectionsPage /> : <CollectionPage key={name} name={name} />;
}
