import { generatePrivateKey } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { createKeySigner } from '../../../src/platform/signers/keySigner.ts';
import { assignRows, type SigningWallet } from '../../../src/worker/relay/assignRows.ts';
import type { AcceptedRow } from '../../../src/worker/relay/readClaimable.ts';

const contract = '0x00000000000000000000000000000000000000c0';
const terms = { gas: 100n, fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n } };
const cost = 1_000n;

const rowOf = (id: string, more: Partial<AcceptedRow> = {}): AcceptedRow => ({
  id,
  contract,
  callData: '0x',
  permit: { signer: contract, nonce: 0n },
  gasEstimate: 100n,
  lastAttemptId: undefined,
  principalId: null,
  after: [],
  key: id,
  keeper: undefined,
  traceParent: null,
  ...more,
});

function walletOf(more: Partial<SigningWallet> = {}): SigningWallet {
  const signer = createKeySigner(generatePrivateKey());
  const { address } = signer;
  return { address, signer, funds: 10n * cost, room: 10, load: 0, unpayable: new Set(), ...more };
}

const assign = (rows: readonly AcceptedRow[], wallets: readonly SigningWallet[]) =>
  assignRows(rows, { wallets, findTerms: (row) => (row.gasEstimate === undefined ? undefined : terms) });

const idsOf = (rows: readonly { row: AcceptedRow }[]) => rows.map(({ row }) => row.id);

describe('rows that any wallet may sign', () => {
  test('go to the least busy wallet each', () => {
    const busy = walletOf({ load: 2 });
    const idle = walletOf();
    const { assigned } = assign(
      ['a', 'b', 'c', 'd'].map((id) => rowOf(id)),
      [busy, idle],
    );
    expect(assigned.map(({ wallet }) => wallet)).toEqual(
      [idle, idle, busy, idle].map(({ address }) => address),
    );
  });

  test('and keep their order go to one wallet', () => {
    const wallets = [walletOf(), walletOf()];
    const rows = [
      rowOf('a1', { key: 'a' }),
      rowOf('b1', { key: 'b' }),
      rowOf('a2', { key: 'a', after: ['a1'] }),
    ];
    const { assigned } = assign(rows, wallets);
    expect(idsOf(assigned)).toEqual(['a1', 'b1', 'a2']);
    expect(assigned[2]?.wallet).toBe(assigned[0]?.wallet);
    expect(assigned[1]?.wallet).not.toBe(assigned[0]?.wallet);
  });

  test('go to wallets that can pay them', () => {
    const poor = walletOf({ funds: cost - 1n });
    const rich = walletOf({ load: 5 });
    const { assigned, unpayable } = assign([rowOf('a')], [poor, rich]);
    expect(assigned.map(({ wallet }) => wallet)).toEqual([rich.address]);
    expect(unpayable).toEqual([]);
  });

  test('are left alone by all that cannot pay them, and hold up nothing else', () => {
    const wallets = [walletOf({ funds: cost }), walletOf({ funds: cost - 1n })];
    const rows = [rowOf('a'), rowOf('b'), rowOf('c', { after: ['b'], key: 'b' })];
    const { assigned, unpayable } = assign(rows, wallets);
    expect(idsOf(assigned)).toEqual(['a']);
    expect(unpayable.map(({ row, wallets: poor }) => [row.id, poor])).toEqual([
      ['b', wallets.map(({ address }) => address)],
    ]);
  });

  test('wait if no wallet has room', () => {
    const { assigned, unpayable } = assign([rowOf('a'), rowOf('b')], [walletOf({ room: 1 })]);
    expect(idsOf(assigned)).toEqual(['a']);
    expect(unpayable).toEqual([]);
  });
});

describe('rows with a keeper', () => {
  test('go to it however busy it is', () => {
    const keeper = walletOf({ load: 50 });
    const { assigned } = assign([rowOf('a', { keeper: keeper.address })], [walletOf(), keeper]);
    expect(assigned.map(({ wallet }) => wallet)).toEqual([keeper.address]);
  });

  test('are skipped by every wallet that cannot pay them', () => {
    const keeper = walletOf({ funds: 0n });
    const other = walletOf();
    const { assigned, unpayable } = assign([rowOf('a', { keeper: keeper.address })], [other, keeper]);
    expect(assigned).toEqual([]);
    expect(unpayable.map(({ wallets }) => wallets)).toEqual([[other.address, keeper.address]]);
  });
});

test('a row that cannot be signed yet is prepared, and delays only rows that must follow it', () => {
  const rows = [rowOf('a', { gasEstimate: undefined }), rowOf('b', { key: 'a', after: ['a'] }), rowOf('c')];
  const { assigned, unprepared } = assign(rows, [walletOf()]);
  expect(unprepared.map(({ id }) => id)).toEqual(['a']);
  expect(idsOf(assigned)).toEqual(['c']);
});
