/** Who thinks, whether all that Sanbo needs is in place, and how true its scores are. */

import { request } from "./client";
import type { Calibration, Check, Cutoffs, EngineChoice, EngineReport, EngineTest, WhatIf } from "./model";

export const readEngine = (signal?: AbortSignal): Promise<EngineReport> => request("GET", "/engine", { signal });
export const chooseEngine = (body: EngineChoice): Promise<EngineReport> => request("PUT", "/engine", { body });
export const testEngine = (body: EngineChoice): Promise<EngineTest> => request("POST", "/engine/test", { body });

export async function readChecks(signal?: AbortSignal): Promise<Check[]> {
  return (await request<{ checks: Check[] }>("GET", "/about/checks", { signal })).checks;
}

const CALIBRATION = "/grace/calibration";

export const readCalibration = (signal?: AbortSignal): Promise<Calibration> => request("GET", CALIBRATION, { signal });

export const tryThresholds = (body: Cutoffs, signal?: AbortSignal): Promise<WhatIf> =>
  request("POST", `${CALIBRATION}/what-if`, { body, signal });

export const fitScore = (kind: "logistic" | "isotonic", reason: string): Promise<Calibration> =>
  request("POST", `${CALIBRATION}/fit`, { body: { kind, reason } });

export const switchVersion = (version: string): Promise<Calibration> =>
  request("POST", `${CALIBRATION}/use`, { body: { version, reason: "" } });
