/** What pages ask of plans. */

import { request } from "./client";
import type { BlockCatalogue, Decision, DryRun, Grouped, Migrated, Part, Plan, PlanDetail, PlanDiff, PlanVersion, PlanVersionDetail, Preset, Run, Validation } from "./model";

const planPath = (planId: string): string => `/plans/${planId.split("/").map(encodeURIComponent).join("/")}`;

export async function listPlans(signal?: AbortSignal): Promise<Plan[]> {
  return (await request<{ plans: Plan[] }>("GET", "/plans", { signal })).plans;
}

export const readPlan = (planId: string, signal?: AbortSignal): Promise<PlanDetail> =>
  request("GET", planPath(planId), { signal });

export async function readPlanParts(planId: string, signal?: AbortSignal): Promise<Part[]> {
  return (await request<{ parts: Part[] }>("GET", `${planPath(planId)}/parts`, { signal })).parts;
}

export const startPlanSample = (planId: string): Promise<Run> => request("POST", `${planPath(planId)}/sample`);

export const savePlan = (text: string, replace = false): Promise<PlanDetail> =>
  request("POST", "/plans", { body: { text, replace } });

// ---- answers that are kept ----

export async function listPresets(planId: string, signal?: AbortSignal): Promise<Preset[]> {
  return (await request<{ presets: Preset[] }>("GET", `${planPath(planId)}/presets`, { signal })).presets;
}

export const savePreset = (runId: string, name: string, shared: boolean): Promise<Preset> =>
  request("POST", "/plans/presets", { body: { run_id: runId, name, shared } });

export const removePreset = (planId: string, name: string): Promise<void> =>
  request("DELETE", `${planPath(planId)}/presets/${encodeURIComponent(name)}`);

// ---- designing ----

export const validatePlan = (text: string, signal?: AbortSignal): Promise<Validation> => request("POST", "/plans/validate", { body: { text }, signal });

export const dryRunPlan = (text: string): Promise<DryRun> => request("POST", "/plans/dry-run", { body: { text } });

export const listBlocks = (signal?: AbortSignal): Promise<BlockCatalogue> => request("GET", "/blocks", { signal });

export async function listVersions(planId: string, signal?: AbortSignal): Promise<PlanVersion[]> {
  return (await request<{ versions: PlanVersion[] }>("GET", `${planPath(planId)}/versions`, { signal })).versions;
}

const versionPath = (planId: string, version: string): string => `${planPath(planId)}/versions/${encodeURIComponent(version)}`;

export const readVersion = (planId: string, version: string, signal?: AbortSignal): Promise<PlanVersionDetail> =>
  request("GET", versionPath(planId, version), { signal });

export const saveVersion = (text: string, comment = ""): Promise<PlanVersionDetail> => request("POST", "/plans/versions", { body: { text, comment } });

/** What differs in meaning from a kept version. */
export const comparePlans = (old: string, text: string): Promise<PlanDiff> => request("POST", "/plans/diff", { body: { old: { plan_id: old }, new: { text } } });

export const compareTexts = (old: string, text: string): Promise<PlanDiff> => request("POST", "/plans/diff", { body: { old: { text: old }, new: { text } } });

/** With another id for a node, and for whatever names it; nothing is saved. */
export const renameNode = (text: string, node: string, to: string): Promise<{ text: string }> => request("POST", "/plans/rename", { body: { text, node, to } });

/** With nodes put together into a loop over a list or, without one, into a plan of their own; nothing is saved. */
export const groupNodes = (text: string, nodes: readonly string[], name: string, over: string): Promise<Grouped> =>
  request("POST", "/plans/group", { body: { text, nodes, name, over } });

/** With forms in the place of earlier blocks; nothing is saved. */
export const migratePlan = (text: string): Promise<Migrated> => request("POST", "/plans/migrate", { body: { text } });

export const decideVersion = (planId: string, version: string, decision: Decision, comment = ""): Promise<PlanVersionDetail> =>
  request("POST", `${versionPath(planId, version)}/decisions`, { body: { decision, comment } });
