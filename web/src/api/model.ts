/** The words of the API, by short names. */

import type { components } from "./schema";

type Schemas = components["schemas"];

export type About = Schemas["About"];
export type Run = Schemas["Run"];
export type RunSummary = Schemas["RunSummary"];
export type RunPage = Schemas["RunPage"];
export type NewRun = Schemas["NewRun"];
export type Status = Schemas["Status"];
export type Artifact = Schemas["Artifact"];
export type FileRef = Schemas["FileRef"];
export type Interaction = Schemas["Interaction"];
export type Requirement = Schemas["Requirement"];
export type Option = Schemas["Option"];
export type WorkflowInfo = Schemas["WorkflowInfo"];
export type Collection = Schemas["CollectionInfo"];
export type TablePreview = Schemas["TablePreview"];
export type RecordedProblem = Schemas["Problem"];
export type Json = Schemas["JsonValue"];
export type JsonObject = Record<string, Json>;

export type Plan = Schemas["DesignInfo"];
export type Correction = Schemas["Correction"];
export type Grouped = Schemas["Grouped"];
export type Migrated = Schemas["Migrated"];
export type ClusterStatus = Schemas["ClusterStatus"];
export type Trigger = Schemas["TriggerInfo"];
export type NewTrigger = Schemas["GivenTrigger"];
export type AddedTrigger = Schemas["AddedTrigger"];
export type Firing = Schemas["FiringInfo"];
export type Preset = Schemas["PresetInfo"];
export type PlanDetail = Schemas["DesignDetail"];
export type PlanVersion = Schemas["VersionInfo"];
export type PlanVersionDetail = Schemas["VersionDetail"];
export type PlanDiff = Schemas["PlanDiff"];
export type PlanState = PlanVersion["state"];
export type Decision = Schemas["GivenDecision"]["decision"];
export type Validation = Schemas["sanbo__service__plans__Validation"];
export type DryRun = Schemas["DryRunReport"];
export type BlockCatalogue = Schemas["BlockCatalogue"];
export type Block = Schemas["BlockDetail"];
export type Port = Schemas["PortDetail"];
export type Finding = Schemas["Finding"];
export type Hit = Schemas["Hit"];
export type IndexedDocument = Schemas["IndexedDocument"];
export type Outcome = Schemas["Outcome"];
export type Event = Schemas["Event"];
export type Call = Schemas["Call"];
export type Calibration = Schemas["CalibrationReport"];
export type Cutoffs = Schemas["Cutoffs"];
export type WhatIf = Schemas["WhatIf"];
export type EngineReport = Schemas["EngineReport"];
export type EngineChoice = Schemas["EngineChoice"];
export type EngineTest = Schemas["EngineTest"];
export type Check = Schemas["Check"];

export type TextPart = Schemas["Text"];
export type TablePart = Schemas["Table"];
export type FigurePart = Schemas["Figure"];
export type SourcesPart = Schemas["Sources"];
export type SourceItem = Schemas["SourceItem"];
export type ScorePart = Schemas["Score"];
export type ChangesPart = Schemas["Changes"];
export type ChangeItem = Schemas["ChangeItem"];
export type GraphPart = Schemas["Graph"];
export type GraphNode = Schemas["GraphNode"];
export type FilesPart = Schemas["Files"];
export type FactsPart = Schemas["Facts"];
export type TroublePart = Schemas["Trouble"];
export type ProgressPart = Schemas["Progress"];
export type ProgressStep = Schemas["ProgressStep"];
export type Part = Schemas["RunParts"]["parts"][number];

/** What has changed of what there is to see; what is not in `ids` any more is gone. */
export interface PartsUpdate {
  run_id: string;
  seq: number;
  status: Status;
  ids: string[];
  parts: Part[];
}

export const isFinal = (status: Status): boolean =>
  status === "succeeded" || status === "failed" || status === "cancelled";
