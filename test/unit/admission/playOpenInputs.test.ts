import fc from 'fast-check';
import { type Address, encodeFunctionData, type Hex, pad, zeroHash } from 'viem';
import { describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { type PlayedInputs, playOpenInputs } from '../../../src/api/admission/playOpenInputs.ts';
import type { OpenRow, Standing } from '../../../src/api/admission/readStanding.ts';
import { createEngine, encodeDataFields, nameHash } from '../../../src/protocol/index.ts';

const signers: readonly Address[] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
];
const [signer = '0x'] = signers;
const [open, closed, close, reopen] = ['open', 'closed', 'close', 'reopen'].map(nameHash) as [
  Hex,
  Hex,
  Hex,
  Hex,
];
const withoutFields = { fields: [], conditions: [], verifierKeys: [] };
const engine = createEngine({
  initialState: open,
  inputDefs: [
    { id: close, ...withoutFields },
    { id: reopen, ...withoutFields },
  ],
  transitions: [
    { fromState: open, toState: closed, inputId: close },
    { fromState: closed, toState: open, inputId: reopen },
  ],
  initVars: [],
  verifiers: [],
  actions: [],
});
const rules = { engine, transactionHash: zeroHash, definitionHash: zeroHash, storing: new Map() };
const keeperField = { fieldId: nameHash('keeper'), fType: 2, required: false, persist: true };
const keeperData = { id: nameHash('keeper'), fType: 2, data: pad('0x01') };
const deadline = 1_000n;
const payload = encodeDataFields([]);

function encodeCall({ by = signer, inputId = close, until = deadline }): Hex {
  return encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [by, inputId, payload, until, 27, zeroHash, zeroHash],
  });
}

const fresh: Standing = {
  transactionHash: zeroHash,
  state: open,
  position: 0,
  blockNumber: '1',
  blockHash: zeroHash,
  headTimestamp: 0,
  databaseTime: 0,
  storing: [],
  isStoringWhole: true,
  nonces: new Map(),
  open: [],
  gasBound: undefined,
};

/** The state after an open input that closes the agreement, at the expected time of the next block. */
function stateAfter({ isWaiting, time }: { isWaiting: boolean; time: bigint }): Hex | undefined {
  const row = { id: 'txn_1', signer, nonce: 0n, callData: encodeCall({}), isWaiting };
  return playOpenInputs(rules, { ...fresh, open: [row] }, { time }).engine?.state;
}

test('an open input counts up to its deadline, and after it only if its bytes are already on their way', () => {
  expect(stateAfter({ isWaiting: true, time: deadline })).toBe(closed);
  expect(stateAfter({ isWaiting: true, time: deadline + 1n })).toBe(open);
  expect(stateAfter({ isWaiting: false, time: deadline + 1n })).toBe(closed);
});

/** A change of an agreement between two reads of it. */
type Step =
  | { readonly kind: 'accept'; by: number; inputId: Hex; until: bigint; skips: boolean }
  | { readonly kind: 'sign' | 'fail'; at: number }
  | { readonly kind: 'mine' | 'wait' | 'reorganise' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('accept' as const),
      by: fc.nat(1),
      inputId: fc.constantFrom(close, reopen),
      until: fc.bigInt(1n, 30n),
      skips: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constantFrom('sign' as const, 'fail' as const), at: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom('mine' as const, 'wait' as const, 'reorganise' as const) }),
);

/** An agreement as index and outbox show it. Each step changes it. */
class Scene {
  time = 1n;
  standing = fresh;
  #accepted = 0;
  #blocks = 1;

  take(next: Step): void {
    const { standing } = this;
    const rows = [...standing.open];
    if (next.kind === 'wait') this.time += 5n;
    if (next.kind === 'accept') rows.push(this.#accept(next));
    if (next.kind === 'fail') rows.splice(next.at, 1);
    const isSigned = (at: number) => next.kind === 'sign' && next.at === at;
    const signed = rows.map((row, at) => (isSigned(at) ? { ...row, isWaiting: false } : row));
    this.standing = { ...standing, open: signed };
    if (next.kind === 'mine') this.#mine();
    if (next.kind === 'reorganise') this.#moveTo({ position: standing.position });
  }

  /** The agreement as the service reads it: with nonces only of signers with open inputs. */
  get seen(): Standing {
    const { open: rows, nonces } = this.standing;
    const isOpen = (account: string) => rows.some((row) => row.signer.toLowerCase() === account);
    return { ...this.standing, nonces: new Map([...nonces].filter(([account]) => isOpen(account))) };
  }

  #accept({ by, inputId, until, skips }: Extract<Step, { kind: 'accept' }>): OpenRow {
    const account = signers[by] ?? signer;
    const own = this.standing.open.filter((row) => row.signer === account).length;
    const nonce = (this.standing.nonces.get(account.toLowerCase()) ?? 0n) + BigInt(own + (skips ? 1 : 0));
    const callData = encodeCall({ by: account, inputId, until });
    return { id: `txn_${this.#accepted++}`, signer: account, nonce, callData, isWaiting: true };
  }

  /** Mines the first open input, if the contract would accept it. */
  #mine(): void {
    const { open: rows, nonces, position } = this.standing;
    const [first, ...others] = rows;
    const after = first && playOpenInputs(rules, { ...this.standing, open: [first] }, { time: 0n });
    if (!first || !after?.engine) return;
    this.standing = { ...this.standing, state: after.engine.state, open: others };
    const count = after.engine.nonces.get(first.signer.toLowerCase()) ?? 0n;
    const counts = new Map(nonces).set(first.signer.toLowerCase(), count);
    this.#moveTo({ position: position + 1, nonces: counts });
  }

  #moveTo(place: Partial<Standing>): void {
    const block = this.#blocks++;
    const blockHash: Hex = `0x${block.toString(16).padStart(64, '0')}`;
    this.standing = { ...this.standing, ...place, blockNumber: String(block), blockHash };
  }
}

describe('what was played before', () => {
  test('is never played differently: each look says the same as one that begins anew', () => {
    let reused = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const scene = new Scene();
        let earlier: PlayedInputs | undefined;
        for (const next of steps) {
          scene.take(next);
          const { time, seen: standing } = scene;
          const known = new Set(earlier?.inputs.map(({ id }) => id));
          const unread = standing.open.map((row) =>
            known.has(row.id) ? { ...row, callData: undefined } : row,
          );
          const anew = playOpenInputs(rules, standing, { time });
          const now = playOpenInputs(rules, { ...standing, open: unread }, { time, earlier });
          expect(describePlayed(now, standing)).toEqual(describePlayed(anew, standing));
          reused += now.inputs.filter(({ engine: one }) =>
            earlier?.inputs.some(({ engine }) => engine === one),
          ).length;
          earlier = now;
        }
      }),
      { numRuns: 300 },
    );
    expect(reused).toBeGreaterThan(1_000);
  });

  test('begins with the stored values of the same moment, also when nothing is open', () => {
    const keeping = createEngine({
      ...{ initialState: open, transitions: [], initVars: [], verifiers: [], actions: [] },
      inputDefs: [{ id: close, ...withoutFields, fields: [keeperField] }],
    });
    const stored = { inputId: close, payload: encodeDataFields([keeperData]) };
    let readCount = 0;
    const counted = {
      inputId: close,
      get payload() {
        readCount++;
        return stored.payload;
      },
    };
    const keepingRules = { ...rules, engine: keeping, storing: new Map([[close, 1]]) };
    const look = (standing: Standing, earlier?: PlayedInputs) =>
      playOpenInputs(keepingRules, { ...standing, storing: [counted] }, { time: 0n, earlier });
    const first = look(fresh);
    const readAtFirst = readCount;
    const second = look({ ...fresh, nonces: new Map([[signer.toLowerCase(), 2n]]) }, first);
    expect(readAtFirst).toBeGreaterThan(0);
    expect(readCount).toBe(readAtFirst);
    expect(second.engine?.variables).toBe(first.engine?.variables);
    expect(second.engine?.variables.get(keeperData.id)).toEqual({ fType: 2, data: keeperData.data });
    expect(second.engine?.nonces.get(signer.toLowerCase())).toBe(2n);
    const unread = { ...fresh, storing: undefined };
    const third = playOpenInputs(keepingRules, unread, { time: 0n, earlier: second });
    expect(third.engine?.variables).toBe(first.engine?.variables);
    expect(() =>
      playOpenInputs(keepingRules, { ...unread, position: 1 }, { time: 0n, earlier: second }),
    ).toThrow('neither known nor read');
    look({ ...fresh, position: 1 }, second);
    expect(readCount).toBeGreaterThan(readAtFirst);
  });

  test('counts also if an open input depends on an unknown stored variable', () => {
    const isKeeper = { op: 16, fieldId: keeperData.id, bytesArg: keeperData.id };
    const checking = createEngine({
      ...{ initialState: open, transitions: [], initVars: [], verifiers: [], actions: [] },
      inputDefs: [
        { id: close, ...withoutFields, fields: [keeperField] },
        { id: reopen, ...withoutFields, conditions: [isKeeper] },
      ],
    });
    const checkingRules = { ...rules, engine: checking, storing: new Map([[close, 1]]) };
    const row = {
      id: 'txn_1',
      signer,
      nonce: 0n,
      callData: encodeCall({ inputId: reopen }),
      isWaiting: true,
    };
    const partly = { ...fresh, isStoringWhole: false, open: [row] };
    const first = playOpenInputs(checkingRules, partly, { time: 0n });
    expect(first).toMatchObject({ inputs: [], engine: undefined });
    const second = playOpenInputs(
      checkingRules,
      { ...partly, storing: undefined },
      { time: 0n, earlier: first },
    );
    expect(second).toMatchObject({ inputs: [], engine: undefined });
    expect(second.start).toBe(first.start);
  });

  test('does not count when the block of the index is not known', () => {
    const standing = {
      ...fresh,
      blockHash: null,
      open: [{ id: 'txn_1', signer, nonce: 0n, callData: encodeCall({}), isWaiting: true }],
    };
    const earlier = playOpenInputs(rules, standing, { time: 0n });
    const now = playOpenInputs(rules, { ...standing, state: closed }, { time: 0n, earlier });
    expect(now.engine?.state).toBe(closed);
    expect(now.inputs[0]?.engine.nonces.entries()).toEqual(new Map());
  });
});

/**
 * The state after each input, and the signers' nonces after all of them. Leaves out other accounts, whose
 * nonces may be unknown.
 */
function describePlayed(played: PlayedInputs, { open: rows }: Standing) {
  const accounts = rows.map((row) => row.signer.toLowerCase());
  return {
    states: played.inputs.map(({ id, engine: { state } }) => `${id} ${state}`),
    nonces: Object.fromEntries(
      accounts.map((account) => [account, played.engine?.nonces.get(account) ?? 0n]),
    ),
  };
}
