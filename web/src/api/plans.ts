/** What pages ask of plans. */

import { request } from "./client";
import type { BlockCatalogue, Decision, DryRun, Part, Plan, PlanDetail, PlanVersion, PlanVersionDetail, Run, Validation } from "./model";

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

export const decideVersion = (planId: string, version: string, decision: Decision, comment = ""): Promise<PlanVersionDetail> =>
  request("POST", `${versionPath(planId, version)}/decisions`, { body: { decision, comment } });
