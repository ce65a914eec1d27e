/** Where the record of a run is, and two of them beside each other. */

export const auditAddress = (runId: string): string => `/runs?${new URLSearchParams({ run: runId })}`;

export const pairAddress = (one: string, other: string): string =>
  `/runs?${new URLSearchParams({ run: one, other })}`;
