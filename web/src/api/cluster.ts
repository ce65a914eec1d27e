/** How the workers and the queue stand. */

import { request } from "./client";
import type { ClusterStatus } from "./model";

export const readCluster = (signal?: AbortSignal): Promise<ClusterStatus> => request("GET", "/cluster", { signal });
