"use client";

import { useEffect, useId, useState } from "react";
import { problemFrom, type Problem } from "@/api/client";
import type { EngineChoice, EngineReport, EngineTest } from "@/api/model";
import { useAnswer } from "@/api/useAnswer";
import { chooseEngine, readEngine, testEngine } from "@/api/workplace";
import { useLanguage, useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { Loading, ProblemNote } from "@/shell/Notice";
import { duration } from "@/shell/Time";
import { SETTINGS } from "./words";

/** Who thinks: chosen and tried here. A key is sent once, and forgotten by the page. */
export function EngineForm() {
  const words = useWords(SETTINGS);
  const { value: report, problem, again } = useAnswer(readEngine);
  return (
    <section className="section">
      <h2>{words.engine}</h2>
      <p className="quiet">{words.engineLead}</p>
      {problem && <ProblemNote problem={problem} retry={again} />}
      {report === null && !problem && <Loading />}
      {report && <Choice report={report} onChosen={again} />}
    </section>
  );
}

function Choice({ report, onChosen }: { report: EngineReport; onChosen: () => void }) {
  const words = useWords(SETTINGS);
  const language = useLanguage();
  const id = useId();
  const [provider, setProvider] = useState(report.provider);
  const [model, setModel] = useState(report.model);
  const vendor = report.vendors.find((each) => each.name === provider);
  const [address, setAddress] = useState(vendor?.address ?? "");
  const [key, setKey] = useState("");
  const [doing, setDoing] = useState<"test" | "use" | null>(null);
  const [tried, setTried] = useState<EngineTest | null>(null);
  const [isUsed, setUsed] = useState(false);
  const [failure, setFailure] = useState<Problem | null>(null);
  useEffect(() => {
    setTried(null);
    setFailure(null);
  }, [provider, model, address, key]);

  const choice = (): EngineChoice => ({ provider, model, address, key: key || null });
  const act = async (what: "test" | "use") => {
    setDoing(what);
    setFailure(null);
    setUsed(false);
    try {
      if (what === "test") setTried(await testEngine(choice()));
      else {
        await chooseEngine(choice());
        setKey("");
        setUsed(true);
        onChosen();
      }
    } catch (error) {
      setFailure(problemFrom(error));
    } finally {
      setDoing(null);
    }
  };
  const engine = report.engine;
  const inUse = engine === null ? "–" : engine.provider === "rules" ? words.rules : `${titleOf(report, engine.provider)} ${engine.model ?? ""}`;
  return (
    <form
      className="section card"
      onSubmit={(event) => {
        event.preventDefault();
        void act("use");
      }}
    >
      <dl className="facts">
        <div className="fact">
          <dt>{words.now}</dt>
          <dd>{inUse}</dd>
        </div>
      </dl>
      {report.problem && <ProblemNote problem={{ message: report.problem.message, hint: report.problem.hint ?? "" }} />}
      {!report.may_change && <p className="notice">{words.notYours}</p>}
      <fieldset className="section" disabled={!report.may_change || doing !== null}>
        <div className="field">
          <label className="label" htmlFor={`${id}-provider`}>
            {words.provider}
          </label>
          <select
            id={`${id}-provider`}
            className="input"
            value={provider}
            onChange={(event) => {
              setProvider(event.target.value);
              setModel(event.target.value === report.provider ? report.model : "");
              setAddress(report.vendors.find((each) => each.name === event.target.value)?.address ?? "");
            }}
          >
            <option value="auto">{words.auto}</option>
            <option value="rules">{words.rules}</option>
            {report.vendors.map((each) => (
              <option key={each.name} value={each.name}>
                {each.title}
              </option>
            ))}
          </select>
        </div>
        {vendor && (
          <>
            <Line id={`${id}-model`} label={words.model} value={model} onChange={setModel} help={words.modelHint(vendor.default_model)} />
            {vendor.takes_address && (
              <Line id={`${id}-address`} label={words.address} value={address} onChange={setAddress} help={words.addressHint} />
            )}
            <Line
              id={`${id}-key`}
              label={words.key}
              value={key}
              onChange={setKey}
              help={vendor.has_key ? words.hasKey : words.noKey}
              isSecret
            />
          </>
        )}
        {failure && <ProblemNote problem={failure} />}
        <div aria-live="polite">
          {tried?.works && (
            <p className="fine">
              <Icon name="check" />
              {tried.engine?.provider === "rules" ? words.worksRules : words.works(tried.engine?.model ?? "", duration(tried.duration_ms, language))}
            </p>
          )}
          {tried?.problem && <ProblemNote problem={{ message: tried.problem.message, hint: tried.problem.hint ?? "" }} />}
          {isUsed && (
            <p className="fine">
              <Icon name="check" />
              {words.used}
            </p>
          )}
        </div>
        <div className="form-actions">
          <button type="button" className="button" onClick={() => void act("test")}>
            {doing === "test" ? words.testing : words.test}
          </button>
          <button type="submit" className="button primary">
            {words.use}
          </button>
        </div>
      </fieldset>
    </form>
  );
}

const titleOf = (report: EngineReport, name: string): string => report.vendors.find((each) => each.name === name)?.title ?? name;

interface LineProps {
  id: string;
  label: string;
  value: string;
  help: string;
  onChange: (value: string) => void;
  isSecret?: boolean;
}

function Line({ id, label, value, help, onChange, isSecret = false }: LineProps) {
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="input"
        type={isSecret ? "password" : "text"}
        autoComplete={isSecret ? "new-password" : "off"}
        spellCheck={false}
        value={value}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-help`} className="field-help">
        {help}
      </p>
    </div>
  );
}
