/** Files that were dropped on one page and are wanted on another: kept until that page takes them. */

import type { PlaceName } from "./places";

let waiting: { place: PlaceName; files: readonly File[] } | null = null;

export function handOver(place: PlaceName, files: readonly File[]): void {
  waiting = { place, files };
}

export function takeOver(place: PlaceName): readonly File[] {
  if (waiting?.place !== place) return [];
  const { files } = waiting;
  waiting = null;
  return files;
}
