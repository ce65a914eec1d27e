"use client";

import { TriggersPage } from "@/triggers/TriggersPage";
import "@/styles/lists.css";
import "@/styles/triggers.css";

/** What starts plans by itself. */
export default function Triggers() {
  return <TriggersPage />;
}
