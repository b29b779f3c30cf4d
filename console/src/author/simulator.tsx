import { useQuery } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import { nameOfInput, nameOfVariable } from '../agreements/naming.ts';
import { StateDiagram } from '../diagram/stateDiagram.tsx';
import { findStanding, readGraph } from '../diagram/stateGraph.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { Note } from '../parts/note.tsx';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';
import { useKeptText } from './keptText.ts';
import { listSenders } from './listSenders.ts';
import { NextStep, type Step } from './nextStep.tsx';
import { PartyFields } from './partyFields.tsx';
import { listParties, splitValues, suggestValues, type Values } from './partyValues.ts';

const words = texts.author;

/** Simulates a document step by step as any participant; nothing is stored or sent. */
export function Simulator({ json }: { readonly json: Readonly<Record<string, unknown>> }) {
  const parties = useMemo(() => listParties(json), [json]);
  const [kept, keep] = useKeptText('test-values');
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const values = { ...suggestValues(json, parties), ...parseKept(kept) };
  const request = { agreement: { ...json }, ...splitValues(parties, values), steps: [...steps] };
  const played = useQuery({
    queryKey: ['simulation', JSON.stringify(request)],
    queryFn: ({ signal }) => service.agreements.simulate(request, { signal }),
    placeholderData: (former) => former,
    gcTime: 60_000,
  });
  const graph = useMemo(() => readGraph(json, (inputId) => nameOfInput(json, inputId)), [json]);
  const state = played.data?.state;
  const accepted = (played.data?.steps ?? []).filter(({ outcome }) => outcome === 'accepted');
  const inputs = [...new Set(graph.ways.filter(({ from }) => from === state).flatMap((way) => way.inputs))];
  const wallets = parties.filter(({ type }) => type === 'address').map(({ name }) => name);
  const possible = new Map(
    inputs.map((input) => [input, texts.agreement.by(writeSenders(json, input, wallets))]),
  );
  return (
    <div class="stack">
      <details>
        <summary>{words.parties}</summary>
        <div class="stack">
          <p class="soft small">{words.partiesHint}</p>
          <PartyFields
            json={json}
            parties={parties}
            values={values}
            onChange={(next) => keep(JSON.stringify(next))}
          />
        </div>
      </details>
      {played.error && <Failure error={played.error} />}
      {state !== undefined && (
        <>
          <p class="row">
            <span>{words.state}</span>
            <span class="tag now" dir="auto" data-state={state}>
              {state}
            </span>
            <Button
              kind="plain"
              isQuick
              disabled={steps.length === 0}
              onPress={() => setSteps(steps.slice(0, -1))}
            >
              {words.undo}
            </Button>
            <Button kind="plain" disabled={steps.length === 0} onPress={() => setSteps([])}>
              {words.restart}
            </Button>
          </p>
          {inputs.length === 0 && <Note kind="good">{words.end}</Note>}
          <NextStep
            key={`${state} ${steps.length}`}
            json={json}
            possible={inputs}
            inputs={[...new Set(graph.ways.flatMap((way) => way.inputs))]}
            parties={wallets}
            onPlay={(step) => setSteps([...steps, step])}
          />
          {steps.length > 0 && <h3>{words.story}</h3>}
          <ol class="stack">
            {(played.data?.steps ?? []).map((step, at) => (
              <li key={`${at} ${step.inputId}`} class={`outcome ${step.outcome}`}>
                <div class="row" dir="auto">
                  <strong>{nameOfInput(json, step.inputId)}</strong>
                  <span class="soft">{nameOfVariable(json, steps[at]?.by ?? '')}</span>
                  <span class={step.outcome === 'accepted' ? 'tag good' : 'tag bad'}>
                    {words.outcomes[step.outcome]}
                  </span>
                </div>
                <div class="small" dir="auto">
                  {step.refusal ? step.refusal.message : `${step.fromState} → ${step.toState}`}
                </div>
                {step.rules.length > 0 && (
                  <div class="small soft">
                    {words.fires(step.rules.map(({ ruleId }) => ruleId).join(', '))}
                  </div>
                )}
              </li>
            ))}
          </ol>
          <StateDiagram
            graph={graph}
            standing={findStanding(state, graph.initial, accepted)}
            possible={possible}
          />
        </>
      )}
    </div>
  );
}

function parseKept(text: string): Values {
  try {
    const kept: unknown = JSON.parse(text);
    const entries = Object.entries(typeof kept === 'object' && kept !== null ? kept : {});
    return Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

function writeSenders(json: unknown, inputId: string, wallets: readonly string[]): string {
  const senders = listSenders(json, inputId);
  if (senders === undefined) return texts.agreement.anyone;
  const names = wallets.filter((name) => senders.has(name)).map((name) => nameOfVariable(json, name));
  return names.length > 0 ? names.join(', ') : texts.agreement.nobody;
}
