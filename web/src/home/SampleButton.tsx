"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import { startSample } from "@/api/runs";
import { useWords } from "@/preferences/language";
import { QUESTIONS } from "@/questions/words";
import { Icon } from "@/shell/Icon";
import { ProblemNote } from "@/shell/Notice";
import { addressOf, placeOf } from "@/shell/places";

const QUIET_MS = 300;

/** Really runs the sample, and goes where it is shown. */
export function SampleButton({ workflow, isPrimary = false }: { workflow: string; isPrimary?: boolean }) {
  const words = useWords(QUESTIONS);
  const router = useRouter();
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  // What its page needs is here before somebody clicks, and no run waits for it.
  useEffect(() => {
    const place = placeOf(workflow);
    const waiting = setTimeout(() => place && router.prefetch(`/${place}`), QUIET_MS);
    return () => clearTimeout(waiting);
  }, [router, workflow]);
  const start = async () => {
    setStarting(true);
    setProblem(null);
    try {
      router.push(addressOf(await startSample(workflow)));
    } catch (error) {
      setProblem(problemFrom(error));
      setStarting(false);
    }
  };
  return (
    <>
      <button type="button" className={isPrimary ? "button primary" : "button small"} disabled={isStarting} onClick={() => void start()}>
        <Icon name="play" />
        {isStarting ? words.starting : words.trySample}
      </button>
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}
