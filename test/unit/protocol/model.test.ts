import { readFileSync } from 'node:fs';
import { type Address, decodeErrorResult, encodeErrorResult, type Hex, pad } from 'viem';
import { describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import {
  applyInput,
  compileAgreement,
  createEngine,
  type Engine,
  type EngineParameters,
  EngineRevert,
  encodeDataFields,
  encodeInputPayload,
  encodeRevert,
  nameHash,
  permitNonce,
  type Revert,
} from '../../../src/protocol/index.ts';
import { busyMs } from '../../support/busyMs.ts';

const agreement: unknown = JSON.parse(
  readFileSync(new URL('../../../examples/agreements/mural-commission.json', import.meta.url), 'utf8'),
);
const patron: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const artist: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const values = { patron, artist, wall: 'North side', wallSquareMetres: '40' };
const parameters = compileAgreement(agreement, { values });
const time = 1_780_000_000n;

const accept = {
  inputId: 'acceptCommission',
  payload: encodeInputPayload(agreement, 'acceptCommission', { artistSignature: 'signed' }),
};

/** All observable data of an engine. */
const lookAt = ({ state, variables, nonces }: Engine) => ({
  state,
  variables: variables.entries(),
  nonces: nonces.entries(),
});

/** An engine in state `open`. Its one input, `act`, has these parts and does not change the state. */
function engineOf(parts: Partial<EngineParameters['inputDefs'][number]>): Engine {
  const open = nameHash('open');
  const act = nameHash('act');
  return createEngine({
    initialState: open,
    inputDefs: [{ id: act, fields: [], conditions: [], verifierKeys: [], ...parts }],
    transitions: [{ fromState: open, toState: open, inputId: act }],
    initVars: [],
    verifiers: [],
    actions: [],
  });
}

describe('the model of the engine', () => {
  it('moves an agreement on and leaves the engine that it was given as it was', () => {
    const engine = createEngine(parameters);
    const before = lookAt(engine);
    const permit = { signer: artist, deadline: time, nonce: 0n };
    const outcome = applyInput(engine, { ...accept, sender: patron, permit, time });
    expect(outcome).toMatchObject({
      ok: true,
      fromState: nameHash('OFFERED'),
      toState: nameHash('SKETCHING'),
      stored: [],
      verifiers: [],
    });
    expect(lookAt(engine)).toEqual(before);
    expect(outcome.ok && outcome.engine.state).toBe(nameHash('SKETCHING'));
    expect(outcome.ok && permitNonce(outcome.engine, artist)).toBe(1n);
  });

  it('refuses with the error of the contract, its arguments and its bytes', () => {
    const outcome = applyInput(createEngine(parameters), { ...accept, sender: patron, time });
    expect(outcome).toMatchObject({
      ok: false,
      revert: { name: 'SenderAddressMismatch', args: [patron, artist] },
    });
    expect(outcome.ok === false && encodeRevert(outcome.revert)).toBe(
      encodeErrorResult({
        abi: agreementEngineAbi,
        errorName: 'SenderAddressMismatch',
        args: [patron, artist],
      }),
    );
  });

  it('refuses a permit that is late or for another nonce, and the contents only after it', () => {
    const engine = createEngine(parameters);
    const attempt = (permit: { deadline: bigint; nonce: bigint }) =>
      applyInput(engine, {
        inputId: 'none',
        payload: '0x',
        sender: patron,
        permit: { signer: artist, ...permit },
        time,
      });
    const unnamed = { ok: false, revert: { name: 'Error', args: ['Unknown inputId'] } };
    expect(attempt({ deadline: time - 1n, nonce: 1n })).toMatchObject({
      revert: { name: 'PermitExpired', args: [time - 1n] },
    });
    expect(attempt({ deadline: time, nonce: 1n })).toMatchObject({ revert: { name: 'InvalidSignature' } });
    expect(attempt({ deadline: time, nonce: 0n })).toMatchObject(unnamed);
  });

  it('throws the revert of a creation that the contract refuses', () => {
    const create = () => createEngine({ ...parameters, owner: '0x0000000000000000000000000000000000000000' });
    expect(create).toThrow(EngineRevert);
    expect(create).toThrow(expect.objectContaining({ revert: { name: 'OwnerZero', args: [] } }));
  });

  it('shares what does not change over hundreds of steps that store something', () => {
    const fields = Array.from({ length: 40 }, (_, at) => ({
      fieldId: nameHash(`f${at}`),
      fType: 0 as const,
      required: false,
      persist: true,
    }));
    const first = engineOf({ fields });
    let engine = first;
    for (let step = 0; step < 200; step++) {
      const payload = encodeDataFields([
        { id: nameHash(`f${step % 40}`), fType: 0, data: pad(`0x${(step + 16).toString(16)}`) },
      ]);
      const outcome = applyInput(engine, { inputId: 'act', payload, sender: patron, time });
      expect(outcome.ok).toBe(true);
      if (outcome.ok) engine = outcome.engine;
    }
    expect(first.variables.entries().size).toBe(0);
    expect(engine.variables.entries().size).toBe(40);
    expect(engine.variables.get(nameHash('f39'))).toEqual({ fType: 0, data: pad('0xd7') });
  });

  it('refuses a payload whose items share so much data that no block could pay for it, in little time', () => {
    const items = 4_000;
    const word = (value: number) => value.toString(16).padStart(64, '0');
    const shared = 400_000;
    // All offsets point to the same item, which is followed by its data.
    const payload: Hex = `0x${word(32)}${word(items)}${word(items * 32).repeat(items)}${'00'.repeat(32)}${word(1)}${word(96)}${word(shared)}${'61'.repeat(shared)}`;
    const work = () => {
      const outcome = applyInput(engineOf({}), { inputId: 'act', payload, sender: patron, time });
      expect(outcome).toMatchObject({ ok: false, revert: { name: '' } });
    };
    expect(busyMs(work)).toBeLessThan(2_000);
  });
});

describe('the bytes of a revert', () => {
  const word: Hex = `0x${'5a'.repeat(32)}`;
  const reverts: Revert[] = [
    { name: 'OwnerZero', args: [] },
    { name: 'VerifierZero', args: [] },
    { name: 'DuplicateVerifier', args: [word] },
    { name: 'UnknownVerifier', args: [word] },
    { name: 'ActionTargetZero', args: [] },
    { name: 'PermitExpired', args: [2n ** 256n - 1n] },
    { name: 'InvalidSignature', args: [] },
    { name: 'ComparisonFailed', args: ['STRING_MAX_LENGTH', 'STRING'] },
    { name: 'TypeMismatch', args: ['UINT256', 'ADDRESS'] },
    { name: 'VarNotSet', args: [word] },
    { name: 'SenderAddressMismatch', args: [patron, artist] },
    { name: 'SenderAddressNotAllowed', args: [artist] },
  ];

  it.each(reverts)('are those of the ABI for $name', (revert) => {
    const { errorName, args = [] } = decodeErrorResult({
      abi: agreementEngineAbi,
      data: encodeRevert(revert),
    });
    expect({ name: errorName, args }).toEqual(revert);
  });

  it('are those of Solidity for a reason in words, a panic and none', () => {
    const solidity = [
      { type: 'error', name: 'Error', inputs: [{ type: 'string' }] },
      { type: 'error', name: 'Panic', inputs: [{ type: 'uint256' }] },
    ] as const;
    const reason = 'No valid transition';
    expect(encodeRevert({ name: 'Error', args: [reason] })).toBe(
      encodeErrorResult({ abi: solidity, errorName: 'Error', args: [reason] }),
    );
    expect(encodeRevert({ name: 'Panic', args: [0x41n] })).toBe(
      encodeErrorResult({ abi: solidity, errorName: 'Panic', args: [0x41n] }),
    );
    expect(encodeRevert({ name: '', args: [] })).toBe('0x');
  });
});
