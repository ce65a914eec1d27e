"use client";

import { readAbout } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";

const USUAL_MB = 200;

/** How large a file may be that is sent to this server. */
export function useUploadLimit(): number {
  return useAnswer(readAbout).value?.max_upload_mb ?? USUAL_MB;
}
