"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { Plan } from "@/api/model";
import { listPlans, savePlan } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Empty, Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SearchField } from "@/shell/SearchField";
import { SHELL } from "@/shell/words";
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
    <Page title={shell.plans} lead={words.lead} actions={<AddPlan onAdded={again} />}>
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

/** A YAML file from this machine; one that is there is replaced only when that is said. */
function AddPlan({ onAdded }: { onAdded: () => void }) {
  const words = useWords(PLANS);
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<{ text: string; name: string; problem: Problem } | null>(null);
  const save = async (text: string, name: string, replace: boolean) => {
    setRefused(null);
    try {
      const plan = await savePlan(text, replace);
      onAdded();
      router.push(planAddress(plan.plan_id));
    } catch (error) {
      setRefused({ text, name, problem: problemFrom(error) });
    }
  };
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
        accept=".yaml,.yml"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          if (file) void file.text().then((text) => save(text, file.name, false));
        }}
      />
      {refused && (
        <ProblemNote problem={refused.problem}>
          {refused.problem.status === CONFLICT && (
            <>
              <p>{words.exists(refused.name)}</p>
              <button type="button" className="button small" onClick={() => void save(refused.text, refused.name, true)}>
                {words.replace}
              </button>
            </>
          )}
        </ProblemNote>
      )}
    </>
  );
}
