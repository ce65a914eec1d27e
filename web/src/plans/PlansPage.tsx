"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Plan } from "@/api/model";
import { listPlans, savePlan } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { takeOver } from "@/shell/handover";
import { Icon } from "@/shell/Icon";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SearchField } from "@/shell/SearchField";
import { SHELL } from "@/shell/words";
import { plansIn, type PlanFile } from "./packed";
import { PLANS } from "./words";

const CONFLICT = 409;

export const planAddress = (planId: string): string => `/plans?${new URLSearchParams({ plan: planId })}`;

export function PlansPage() {
  const words = useWords(PLANS);
  const shell = useWords(SHELL);
  const { value: plans, problem, again } = useAnswer(listPlans);
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const found = plans?.filter((plan) => `${plan.title} ${plan.plan_id} ${plan.description}`.toLowerCase().includes(wanted));
  const own = found?.filter((plan) => plan.origin === "workspace");
  const samples = found?.filter((plan) => plan.origin === "sample");
  return (
    <Page title={shell.plans} lead={words.lead} actions={<PlansActions onAdded={again} />}>
      {problem && <ProblemNote problem={problem} retry={again} />}
      {plans === null && !problem && <Loading />}
      {plans && (
        <div className="stack">
          <SearchField label={words.search} value={typed} onChange={setTyped} />
          {wanted && found?.length === 0 && <Empty title={words.noneFound} />}
          {!(wanted && own?.length === 0) && (
            <section className="section">
              <h2>{words.own}</h2>
              {own?.length === 0 ? <p className="quiet">{words.noneOwn}</p> : <PlanList plans={own ?? []} />}
            </section>
          )}
          {samples && samples.length > 0 && (
            <section className="section">
              <h2>{words.samples}</h2>
              <PlanList plans={samples} />
            </section>
          )}
        </div>
      )}
    </Page>
  );
}

function PlanList({ plans }: { plans: readonly Plan[] }) {
  const words = useWords(PLANS);
  return (
    <ul className="tiles">
      {plans.map((plan) => (
        <li key={plan.plan_id}>
          <Link className="tile" href={planAddress(plan.plan_id)} prefetch={false}>
            <span className="tile-head">
              <Icon name="plan" />
              <span className="tile-title">{plan.title || plan.plan_id}</span>
            </span>
            {plan.description && <span className="tile-text">{plan.description}</span>}
            <span className="tile-foot">
              {plan.errors > 0 ? (
                <span className="tag" data-tone="bad">
                  {words.errors(plan.errors)}
                </span>
              ) : (
                <span className="tag" data-tone="good">
                  {words.ready}
                </span>
              )}
              {plan.warnings > 0 && (
                <span className="tag" data-tone="caution">
                  {words.warnings(plan.warnings)}
                </span>
              )}
              {plan.version && <span className="quiet">{words.version(plan.version)}</span>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function PlansActions({ onAdded }: { onAdded: () => void }) {
  return (
    <>
      <Link className="button primary" href="/studio" prefetch={false}>
        <Icon name="plus" />
        {useWords(PLANS).create}
      </Link>
      <AddPlan onAdded={onAdded} />
    </>
  );
}

interface Refused {
  plan: PlanFile;
  problem: Problem;
}

/** Plans from this machine, also packed; one that is there is replaced only when that is said. */
function AddPlan({ onAdded }: { onAdded: () => void }) {
  const words = useWords(PLANS);
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [given] = useState(() => takeOver("plans"));
  const [isEmpty, setEmpty] = useState(false);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const save = useCallback(
    async (plans: readonly PlanFile[], replace: boolean) => {
      setEmpty(plans.length === 0);
      const failed: Refused[] = [];
      let saved = "";
      for (const plan of plans) {
        try {
          saved = (await savePlan(plan.text, replace)).plan_id;
        } catch (error) {
          failed.push({ plan, problem: problemFrom(error) });
        }
      }
      setRefused((before) => [...before.filter((each) => !plans.includes(each.plan)), ...failed]);
      if (saved) onAdded();
      if (plans.length === 1 && saved) router.push(planAddress(saved));
    },
    [onAdded, router],
  );
  const add = useCallback((file: File) => void plansIn(file).then((plans) => save(plans, false)), [save]);
  useEffect(() => {
    if (given[0]) add(given[0]);
  }, [given, add]);
  return (
    <>
      <button type="button" className="button" onClick={() => input.current?.click()}>
        <Icon name="upload" />
        {words.add}
      </button>
      <input
        ref={input}
        type="file"
        className="aloud"
        tabIndex={-1}
        aria-label={words.add}
        accept=".yaml,.yml,.zip"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          setRefused([]);
          if (file) add(file);
        }}
      />
      {isEmpty && (
        <p className="notice" role="alert">
          {words.noneInside}
        </p>
      )}
      {refused.map(({ plan, problem }, at) => (
        <ProblemNote key={at} problem={problem}>
          {problem.status === CONFLICT && (
            <>
              <p>{words.exists(plan.name)}</p>
              <button type="button" className="button small" onClick={() => void save([plan], true)}>
                {words.replace}
              </button>
            </>
          )}
        </ProblemNote>
      ))}
    </>
  );
}
