import { readdirSync, readFileSync } from 'node:fs';
import { pad } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  analyzeAgreement,
  analyzeInTurns,
  applyInput,
  compileAgreement,
  createEngine,
  type Engine,
  encodeDataFields,
  encodeInputPayload,
  FieldType,
  nameHash,
  type Revert,
} from '../../../src/protocol/index.ts';
import { inventInputs, inventVariables } from '../../model/support/inventValues.ts';
import { actorAt, actors } from '../../model/support/modelCase.ts';

const examples = new URL('../../../examples/agreements/', import.meta.url);

type Parts = {
  variables?: Record<string, unknown>;
  initialize?: Record<string, string>;
  inputs: Record<string, unknown>;
  /** Each in the form `from input to`. */
  transitions: readonly string[];
};

/** A document whose initial state is that of its first transition. */
function documentOf({ variables = {}, initialize = {}, inputs, transitions }: Parts) {
  const parsed = transitions.map((text) => {
    const [from = '', input = '', to = ''] = text.split(' ');
    return { from, to, conditions: [{ input }] };
  });
  const states = [...new Set(parsed.flatMap(({ from, to }) => [from, to]))];
  return {
    metadata: { id: 'did:example:planted' },
    variables,
    content: { type: 'md', data: '' },
    execution: {
      initialize: { initialState: parsed[0]?.from, data: initialize },
      states: Object.fromEntries(states.map((state) => [state, {}])),
      inputs,
      transitions: parsed,
    },
  };
}

const wallet = { type: 'address' };
const owner = { owner: wallet };
const ownerFrom = { owner: '$' + '{variables.owner}' };
const reference = (name: string) => `\${variables.${name}}`;

/**
 * Plays inputs from any sender that may send them. Returns the last engine, and the last input's revert if it
 * was refused.
 */
function play(agreement: unknown, inputs: readonly string[]): { engine: Engine; revert: Revert | undefined } {
  let engine = createEngine(compileAgreement(agreement, { values: inventVariables(agreement) }));
  let revert: Revert | undefined;
  for (const inputId of inputs) {
    const outcomes = inventInputs(agreement, inputId).flatMap((values) =>
      actors.map(({ address: sender }) =>
        applyInput(engine, {
          inputId,
          payload: encodeInputPayload(agreement, inputId, values),
          sender,
          time: 0n,
        }),
      ),
    );
    const accepted = outcomes.find((outcome) => outcome.ok);
    const [first] = outcomes;
    revert = accepted === undefined && first?.ok === false ? first.revert : undefined;
    engine = accepted?.ok ? accepted.engine : engine;
  }
  return { engine, revert };
}

describe('the analysis of a document', () => {
  it.each(readdirSync(examples))('finds no fault in %s, and its examples lead where they say', (file) => {
    const agreement: unknown = JSON.parse(readFileSync(new URL(file, examples), 'utf8'));
    const { reachableStates, finalStates, moments, ...wrong } = analyzeAgreement(agreement);
    expect(wrong).toEqual({
      stoppedAt: null,
      shortened: false,
      unsendableInputs: [],
      unsetVariables: [],
      contradictoryBounds: [],
      endlessStates: [],
      shadowedTransitions: [],
    });
    expect(finalStates.length).toBeGreaterThan(0);
    expect(moments).toBeGreaterThanOrEqual(reachableStates.length);
    for (const { state = '', example = [] } of reachableStates) {
      expect(play(agreement, example).engine.state).toBe(nameHash(state));
    }
  });

  it('finds inputs that nobody can ever send, with the variable that nothing stores', () => {
    const agreement = documentOf({
      variables: { ...owner, guest: wallet },
      initialize: ownerFrom,
      inputs: { open: { issuer: reference('owner') }, enter: { issuer: reference('guest') } },
      transitions: ['SHUT open OPEN', 'OPEN enter INSIDE'],
    });
    const { unsendableInputs, unsetVariables, reachableStates, endlessStates } = analyzeAgreement(agreement);
    expect(unsendableInputs).toEqual([
      {
        path: 'execution.inputs.enter.issuer',
        inputId: 'enter',
        variable: 'guest',
        message: 'nobody can ever send it: nothing stores guest, which its issuer names',
      },
    ]);
    expect(unsetVariables).toEqual([
      {
        path: 'execution.inputs.enter.issuer',
        message: 'reverts always: guest is not stored',
        state: 'OPEN',
        inputId: 'enter',
        variable: 'guest',
        always: true,
        example: ['open', 'enter'],
      },
    ]);
    expect(play(agreement, ['open', 'enter']).revert).toEqual({
      name: 'VarNotSet',
      args: [nameHash('guest')],
    });
    expect(reachableStates.map(({ state }) => state)).toEqual(['SHUT', 'OPEN']);
    expect(endlessStates.map(({ state, always }) => [state, always])).toEqual([
      ['SHUT', true],
      ['OPEN', true],
    ]);
  });

  it('finds steps that revert only on some path, and states that are a trap on it', () => {
    const agreement = documentOf({
      variables: { ...owner, guest: wallet },
      initialize: ownerFrom,
      inputs: {
        invite: { issuer: reference('owner'), data: { guest: reference('guest') } },
        hurry: { issuer: reference('owner') },
        enter: { issuer: reference('guest') },
      },
      transitions: ['SHUT invite OPEN', 'SHUT hurry OPEN', 'OPEN enter INSIDE'],
    });
    const { unsendableInputs, unsetVariables, endlessStates, finalStates } = analyzeAgreement(agreement);
    expect(unsendableInputs).toEqual([]);
    expect(unsetVariables).toMatchObject([
      { state: 'OPEN', inputId: 'enter', variable: 'guest', always: false, example: ['hurry', 'enter'] },
    ]);
    expect(endlessStates).toMatchObject([{ state: 'OPEN', always: false, example: ['hurry'] }]);
    expect(finalStates).toEqual([
      { path: 'execution.states.INSIDE', state: 'INSIDE', example: ['invite', 'enter'] },
    ]);
    expect(play(agreement, ['hurry', 'enter']).revert?.name).toBe('VarNotSet');
    expect(play(agreement, ['invite', 'enter']).engine.state).toBe(nameHash('INSIDE'));
  });

  it('lets an input store the variable of its own issuer, and finds issuers excluded by an unset one', () => {
    const guest = '0x2222222222222222222222222222222222222222';
    const optional = { guest: { type: 'address', validation: { required: false } } };
    const agreement = documentOf({
      variables: { ...owner, ...optional },
      initialize: ownerFrom,
      inputs: {
        claim: { issuer: reference('guest'), data: { guest: reference('guest') } },
        leave: { issuer: [reference('owner'), reference('guest'), guest] },
      },
      transitions: ['SHUT claim TAKEN', 'SHUT leave LEFT'],
    });
    const { unsendableInputs, unsetVariables } = analyzeAgreement(agreement);
    expect(unsendableInputs).toEqual([]);
    expect(unsetVariables).toMatchObject([
      { inputId: 'claim', variable: 'guest', always: false, example: ['claim'] },
      {
        inputId: 'leave',
        variable: 'guest',
        always: false,
        message: 'reverts for those that the issuer names after it after the example: guest is not stored',
      },
    ]);
  });

  it('takes a variable as stored by every such input if any field of its name is required', () => {
    const agreement = documentOf({
      variables: { keeper: { type: 'address', validation: { required: false } } },
      inputs: {
        go: { data: { a: reference('keeper'), keeper: wallet } },
        inspect: { issuer: reference('keeper') },
      },
      transitions: ['A go B', 'B inspect C'],
    });
    expect(analyzeAgreement(agreement)).toMatchObject({
      unsetVariables: [],
      endlessStates: [],
      finalStates: [{ state: 'C', example: ['go', 'inspect'] }],
    });
    expect(play(agreement, ['go', 'inspect']).engine.state).toBe(nameHash('C'));
  });

  it('takes a variable as never stored if no value fits all fields of its name', () => {
    const optional = { validation: { required: false } };
    const agreement = documentOf({
      variables: { keeper: { type: 'address', ...optional } },
      inputs: {
        go: { data: { a: reference('keeper'), keeper: { type: 'string', ...optional } } },
        inspect: { issuer: reference('keeper') },
      },
      transitions: ['A go B', 'B inspect C'],
    });
    const { reachableStates, unsetVariables } = analyzeAgreement(agreement);
    expect(reachableStates.map(({ state }) => state)).toEqual(['A', 'B']);
    expect(unsetVariables).toMatchObject([{ state: 'B', inputId: 'inspect', always: true }]);
    const { address: sender } = actorAt(0);
    const data = encodeDataFields([{ id: nameHash('keeper'), fType: FieldType.ADDRESS, data: pad(sender) }]);
    const go = { inputId: 'go', sender, time: 0n };
    const engine = createEngine(compileAgreement(agreement));
    expect(applyInput(engine, { ...go, payload: encodeDataFields([]) })).toMatchObject({
      ok: true,
      stored: [],
    });
    expect(applyInput(engine, { ...go, payload: data })).toMatchObject({
      ok: false,
      revert: { name: 'Error', args: ['Field type mismatch'] },
    });
  });

  it('finds bounds that exclude each other, fields of one name and two types, and shadowed transitions', () => {
    const agreement = documentOf({
      variables: { count: { type: 'uint256' } },
      inputs: {
        tight: { data: { amount: { type: 'uint256', validation: { min: 5, max: 4 } } } },
        free: {
          data: { note: { type: 'string', validation: { required: false, minLength: 3, maxLength: 2 } } },
        },
        twice: { data: { count: { type: 'string' }, other: reference('count') } },
      },
      transitions: ['A tight B', 'A free B', 'A twice B', 'A free A'],
    });
    const { contradictoryBounds, unsendableInputs, shadowedTransitions } = analyzeAgreement(agreement);
    expect(contradictoryBounds.map(({ path, message }) => [path, message])).toEqual([
      ['execution.inputs.tight.data.amount.validation', 'no value fits: min is 5 and max is 4'],
      ['execution.inputs.free.data.note.validation', 'no value fits: minLength is 3 and maxLength is 2'],
      ['variables.count', 'has the name of another field of the input with another type'],
    ]);
    expect(unsendableInputs.map(({ inputId }) => inputId)).toEqual(['tight', 'twice']);
    expect(shadowedTransitions).toMatchObject([
      { path: 'execution.transitions.3', state: 'A', inputId: 'free', example: ['free'] },
    ]);
  });

  it('says where it stopped, and then claims nothing that needs a complete search', () => {
    const names = Array.from({ length: 20 }, (_, at) => `v${at}`);
    const agreement = documentOf({
      variables: Object.fromEntries(names.map((name) => [name, wallet])),
      inputs: {
        ...Object.fromEntries(names.map((name) => [`set-${name}`, { data: { [name]: reference(name) } }])),
        end: { issuer: names.map(reference) },
      },
      transitions: [...names.map((name) => `A set-${name} A`), 'A end B'],
    });
    const limited = analyzeAgreement(agreement, { moments: 500, steps: 100_000 });
    expect(limited).toMatchObject({
      moments: 500,
      stoppedAt: 'moments',
      endlessStates: [],
      unsendableInputs: [],
    });
    const fewer = analyzeAgreement(agreement, { moments: 1_000_000, steps: 3_000 });
    expect(fewer.stoppedAt).toBe('steps');
  });

  it('does not call a state a trap on every path if the search ended before the path that leads out', () => {
    // Two inputs lead from each level to the next; one of them stores a variable.
    const kept = ['v0', 'v1', 'v2', 'v3'];
    const agreement = documentOf({
      variables: Object.fromEntries([...kept, 'w'].map((name) => [name, wallet])),
      inputs: {
        ...Object.fromEntries(kept.map((name) => [`keep-${name}`, { data: { [name]: reference(name) } }])),
        ...Object.fromEntries(kept.map((name) => [`pass-${name}`, {}])),
        go: {},
        equip: { data: { w: reference('w') } },
        name: { issuer: kept.map(reference) },
        finish: { issuer: reference('w') },
      },
      transitions: [
        ...kept.flatMap((name, at) => ['keep', 'pass'].map((how) => `L${at} ${how}-${name} L${at + 1}`)),
        'L0 go S',
        'L0 name L0',
        'L4 equip S',
        'S finish F',
      ],
    });
    const found = (moments: number) => {
      const { endlessStates, stoppedAt } = analyzeAgreement(agreement, { moments, steps: 100_000 });
      const inS = endlessStates.filter(({ state }) => state === 'S');
      return { stoppedAt, found: inS.map(({ message, always, example }) => [message, always, example]) };
    };
    const afterExample = [['leads to no final state after the example', false, ['go']]];
    expect(found(20)).toEqual({ stoppedAt: 'moments', found: afterExample });
    expect(found(10_000)).toEqual({ stoppedAt: null, found: afterExample });
    const way = [...kept.map((name) => `pass-${name}`), 'equip', 'finish'];
    expect(play(agreement, way).engine.state).toBe(nameHash('F'));
  });

  it('keeps its answer short for documents of many long names', () => {
    const states = Array.from({ length: 256 }, (_, at) => `${'s'.repeat(500)}${at}`);
    const transitions = states.slice(1).map((to, at) => `${states[at]} ${'i'.repeat(500)}${at} ${to}`);
    const inputs = Object.fromEntries(transitions.map((text) => [text.split(' ')[1] ?? '', {}]));
    const analysis = analyzeAgreement(documentOf({ inputs, transitions }));
    expect(analysis.shortened).toBe(true);
    expect(JSON.stringify(analysis).length).toBeLessThan(500_000);
    expect(analysis.reachableStates.length).toBeGreaterThan(100);
  });

  it('gives way every few hundred steps', () => {
    const names = Array.from({ length: 16 }, (_, at) => `v${at}`);
    const agreement = documentOf({
      variables: Object.fromEntries(names.map((name) => [name, wallet])),
      inputs: {
        ...Object.fromEntries(names.map((name) => [`set-${name}`, { data: { [name]: reference(name) } }])),
        end: { issuer: names.map(reference) },
      },
      transitions: [...names.map((name) => `A set-${name} A`), 'A end B'],
    });
    expect([...analyzeInTurns(agreement)].length).toBeGreaterThan(2);
  });

  it('gives way after each finding too, as an example may be long', () => {
    const states = Array.from({ length: 200 }, (_, at) => `S${at}`);
    const transitions = states.slice(1).map((to, at) => `${states[at]} go-${at} ${to}`);
    const inputs = Object.fromEntries(transitions.map((text) => [text.split(' ')[1] ?? '', {}]));
    const agreement = documentOf({ inputs, transitions });
    // Each input is read twice before the search; each state is found once after it, and the last one is final too.
    const ofReading = 2 * Object.keys(inputs).length;
    expect([...analyzeInTurns(agreement)].length).toBeGreaterThan(ofReading + states.length);
    expect(analyzeAgreement(agreement).reachableStates).toHaveLength(states.length);
  });
});
