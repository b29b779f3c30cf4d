import { type Address, pad } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  type ActionInit,
  applyInput,
  compileAgreement,
  continueEngine,
  createDocumentEngine,
  createEngine,
  type Engine,
  encodeInputPayload,
  listStoringInputs,
  nameHash,
  ValuesError,
} from '../../../src/protocol/index.ts';
import { alice, bob, buildDocument } from './documents.ts';

const token: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const reference = (name: string) => `\${variables.${name}}`;

/** Its action names a variable that the contract does not hold. */
const agreement = buildDocument({
  variables: {
    owner: { type: 'address' },
    keeper: { type: 'address', validation: { required: false } },
    memo: { type: 'string' },
  },
  states: { A: {}, B: {} },
  data: { owner: reference('owner') },
  inputs: {
    begin: { issuer: reference('owner') },
    appoint: { issuer: reference('owner'), data: { keeper: reference('keeper') } },
    inspect: { issuer: reference('keeper') },
    knock: {},
  },
  transitions: [
    ...['appoint', 'inspect'].map((input) => ({ from: 'A', to: 'A', conditions: [{ input }] })),
    ...['begin', 'knock'].map((input) => ({ from: 'A', to: 'B', conditions: [{ input }] })),
  ],
  actions: [
    {
      when: { from: 'A', input: 'knock' },
      call: {
        type: 'evmCall',
        target: token,
        abi: [{ type: 'function', name: 'note', inputs: [{ name: 'text', type: 'string' }] }],
        method: 'note',
        args: [reference('memo')],
      },
    },
  ],
});
const parameters = compileAgreement(agreement, { values: { owner: alice, memo: 'hello' } });
const { actions } = parameters;
const created = createEngine(parameters);

const send = (engine: Engine, inputId: string, sender: Address, values: object = {}) =>
  applyInput(engine, { inputId, sender, payload: encodeInputPayload(agreement, inputId, values), time: 0n });
const appoint = (keeper: Address) => ({
  inputId: 'appoint',
  payload: encodeInputPayload(agreement, 'appoint', { keeper }),
});
const unknown = (name: string) => ({ ok: null, unknownVariable: nameHash(name) });

describe('the engine of a creation that is known in part', () => {
  it('holds the initial variables whose values are known, whatever the actions need', () => {
    const engine = createDocumentEngine({ agreement, initialValues: { owner: alice }, actions });
    expect(send(engine, 'begin', alice)).toMatchObject({ ok: true });
    expect(send(engine, 'begin', bob)).toMatchObject({
      ok: false,
      revert: { name: 'SenderAddressMismatch' },
    });
  });

  it('does not guess a missing one', () => {
    const engine = createDocumentEngine({ agreement, initialValues: { memo: 'hello' } });
    expect(send(engine, 'begin', alice)).toEqual(unknown('owner'));
    const damaged = applyInput(engine, { inputId: 'begin', sender: alice, payload: '0x', time: 0n });
    expect(damaged).toMatchObject({ ok: false });
  });

  it("makes the chain's calls, and never leaves out one of the document's", () => {
    const ofChain: ActionInit[] = actions.map((action) => ({ ...action, data: '0x1234' }));
    const engine = createDocumentEngine({ agreement, initialValues: {}, actions: ofChain });
    expect(send(engine, 'knock', bob)).toMatchObject({ ok: true, action: { target: token, data: '0x1234' } });
    const whole = createDocumentEngine({ agreement, initialValues: { owner: alice, memo: 'hello' } });
    expect(send(whole, 'knock', bob)).toMatchObject({ action: actions[0] });
    expect(() => createDocumentEngine({ agreement, initialValues: { owner: alice } })).toThrow(ValuesError);
  });
});

describe('the engine of an agreement later', () => {
  const state = nameHash('A');
  const variableOf = (engine: Engine, name: string) => engine.variables.get(nameHash(name));

  it('has the state, the nonces and what the newest inputs have stored', () => {
    const now = continueEngine(created, {
      state: nameHash('B'),
      inputs: [appoint(bob), appoint(alice), { inputId: nameHash('knock'), payload: '0x' }],
      isWhole: true,
      nonces: new Map([[bob, 3n]]),
    });
    expect(now.state).toBe(nameHash('B'));
    expect(variableOf(now, 'keeper')).toEqual({ fType: 2, data: pad(bob).toLowerCase() });
    expect(variableOf(now, 'owner')).toEqual({ fType: 2, data: pad(alice).toLowerCase() });
    expect(now.nonces.entries()).toEqual(new Map([[bob.toLowerCase(), 3n]]));
    expect(created.variables.entries().size).toBe(1);
  });

  it('finds inputs by their hashes too, and lists those that store something', () => {
    const inputId = nameHash('appoint');
    expect(listStoringInputs(created)).toEqual([inputId]);
    const now = continueEngine(created, { state, inputs: [{ ...appoint(bob), inputId }], isWhole: true });
    expect(send(now, 'inspect', bob)).toMatchObject({ ok: true });
  });

  it('does not guess what earlier inputs may have stored', () => {
    const course = { state, inputs: [], isWhole: false };
    expect(send(continueEngine(created, course), 'inspect', bob)).toEqual(unknown('keeper'));
    expect(send(continueEngine(created, course), 'begin', alice)).toMatchObject({ ok: true });
    const later = continueEngine(created, { ...course, inputs: [appoint(bob)] });
    expect(send(later, 'inspect', bob)).toMatchObject({ ok: true });
    const whole = continueEngine(created, { ...course, isWhole: true });
    expect(send(whole, 'inspect', bob)).toMatchObject({ ok: false, revert: { name: 'VarNotSet' } });
  });
});
