/** The words of research, as the API describes them. */

import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Run = Schemas["Run"];
export type NewRun = Schemas["NewRun"];
export type Status = Schemas["Status"];
export type Artifact = Schemas["Artifact"];
export type Problem = Schemas["Problem"];
export type Collection = Schemas["CollectionInfo"];
export type CollectionList = Schemas["CollectionList"];

export type RetrieveStep = Schemas["RetrieveStep"];
export type DecideStep = Schemas["DecideStep"];
export type AnswerStep = Schemas["AnswerStep"];
export type SearchedQuery = Schemas["SearchedQuery"];
export type FoundPassage = Schemas["FoundPassage"];
export type ResearchResult = Schemas["ResearchResult"];
export type Citation = Schemas["Citation"];
export type CitedPlace = Schemas["CitationPlace"];
export type Note = Schemas["Note"];
export type NoteList = Schemas["NoteList"];
export type Deleted = Schemas["Deleted"];

/** A line of the history. */
export interface ListedResearch {
  runId: string;
  session: string;
  question: string;
  status: Status;
  createdAt: string;
}

export interface ListedPage {
  items: ListedResearch[];
  /** What to ask with for the next page; null on the last. */
  next: string | null;
}
