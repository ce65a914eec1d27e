/** What pages ask of plans. */

import { request } from "./client";
import type { Part, Plan, PlanDetail, Run } from "./model";

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
