import fc from 'fast-check';
import { type Address, concat, encodeAbiParameters, type Hex, numberToHex, pad } from 'viem';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type ActionInit,
  applyInput,
  compileAgreement,
  continueEngine,
  createDocumentEngine,
  createEngine,
  type Engine,
  encodeDataFields,
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
  const text = encodeAbiParameters([{ type: 'string' }], ['x'.repeat(8_000)]);
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

  it('has the variables of the engine that has played all inputs', () => {
    const names = ['a', 'b', 'c'];
    const defineInput = (id: string, persisted: readonly string[]) => ({
      ...{ id: nameHash(id), conditions: [], verifierKeys: [] },
      fields: names.map((name) => ({
        ...{ fieldId: nameHash(name), fType: 1, required: false },
        persist: persisted.includes(name),
      })),
    });
    const inputs = [defineInput('one', ['a', 'b']), defineInput('two', ['b', 'c']), defineInput('three', [])];
    const engine = createEngine({
      ...{ initialState: state, inputDefs: inputs, initVars: [], verifiers: [], actions: [] },
      transitions: inputs.map(({ id }) => ({ fromState: state, toState: state, inputId: id })),
    });
    const field = fc.record({ name: fc.constantFrom(...names, 'other'), value: fc.string() }).map((one) => ({
      ...{ id: nameHash(one.name), fType: 1 },
      data: encodeAbiParameters([{ type: 'string' }], [one.value]),
    }));
    const call = fc.record({
      inputId: fc.constantFrom('one', 'two', 'three'),
      payload: fc.array(field, { maxLength: 5 }).map(encodeDataFields),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 8 }), (calls) => {
        const played = calls.reduce((before, { inputId, payload }) => {
          const outcome = applyInput(before, { inputId, payload, sender: alice, time: 0n });
          if (!outcome.ok) throw new Error('an input was refused');
          return outcome.engine;
        }, engine);
        const resumed = continueEngine(engine, { state, inputs: calls.toReversed(), isWhole: true });
        expect(resumed.variables.entries()).toEqual(played.variables.entries());
      }),
    );
  });

  it('decodes no value of what inputs have stored', () => {
    const fields = [
      { id: nameHash('keeper'), fType: 2, data: pad(bob) },
      ...Array.from({ length: 300 }, (_, at) => ({ id: nameHash(`extra ${at}`), fType: 1, data: text })),
    ];
    const decode = vi.spyOn(TextDecoder.prototype, 'decode');
    onTestFinished(() => decode.mockRestore());
    const payload = encodeDataFields(fields);
    decode.mockClear();
    const now = continueEngine(created, { state, inputs: [{ inputId: 'appoint', payload }], isWhole: true });
    // Only the copy of the one value that is kept.
    expect(decode).toHaveBeenCalledTimes(1);
    expect(variableOf(now, 'keeper')).toEqual({ fType: 2, data: pad(bob).toLowerCase() });
  });

  it('reads only inputs that can have stored what is still missing', () => {
    const damaged = { inputId: 'appoint', payload: '0x' as const };
    const now = continueEngine(created, { state, inputs: [appoint(bob), damaged], isWhole: true });
    expect(variableOf(now, 'keeper')).toEqual({ fType: 2, data: pad(bob).toLowerCase() });
  });

  it('keeps no more of a payload whose fields share their bytes than four times its length', () => {
    const names = Array.from({ length: 20 }, (_, at) => `memo ${at}`);
    const inputId = nameHash('store');
    const fields = names.map((name) => ({
      fieldId: nameHash(name),
      fType: 1,
      required: false,
      persist: true,
    }));
    const engine = createEngine({
      ...{ initialState: state, transitions: [], initVars: [], verifiers: [], actions: [] },
      inputDefs: [{ id: inputId, fields, conditions: [], verifierKeys: [] }],
    });
    const payload = shareData(names.map(nameHash), text);
    const older = encodeDataFields(names.map((name) => ({ id: nameHash(name), fType: 1, data: text })));
    const inputs = [payload, older].map((one) => ({ inputId, payload: one }));
    const now = continueEngine(engine, { state, inputs, isWhole: true });
    const values = names.map((name) => variableOf(now, name));
    const known = values.filter((value) => value !== 'unknown');
    expect(known).toEqual(known.map(() => ({ fType: 1, data: text })));
    expect(known.length).toBe(Math.floor((payload.length * 4) / text.length));
    expect(known.length).toBeLessThan(names.length);
  });
});

/** A payload of texts that are all the same bytes. */
function shareData(ids: readonly Hex[], data: Hex): Hex {
  const word = (value: number) => numberToHex(value, { size: 32 });
  const items = ids.length * 32;
  const shared = items + ids.length * 96;
  return concat([
    ...[word(32), word(ids.length)],
    ...ids.map((_, at) => word(items + at * 96)),
    ...ids.flatMap((id, at) => [id, word(1), word(shared - items - at * 96)]),
    ...[word((data.length - 2) / 2), data],
  ]);
}
