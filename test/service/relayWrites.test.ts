import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { getAddress, type Hex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reopenTransaction } from '../../src/api/agreements/storeTransaction.ts';
import { createClaimTurns } from '../../src/worker/relay/claimTurns.ts';
import { failRow, failUnsent, readoptRow, requeueRow } from '../../src/worker/relay/endRow.ts';
import { markBroadcast } from '../../src/worker/relay/markBroadcast.ts';
import { readClaimable } from '../../src/worker/relay/readClaimable.ts';
import { storeAttempt } from '../../src/worker/relay/storeAttempt.ts';
import {
  moveCounter,
  releaseLeases,
  retireWallets,
  writeStatuses,
} from '../../src/worker/relay/walletRows.ts';
import { readLockWaits } from '../support/lockWaits.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createFixture, type Fixture } from './projector/support/setup.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture?.close());

const random = (bytes: number): Hex => toHex(randomBytes(bytes));
const owner = 'the test';
const nonce = 7;
const failure = { reason: 'action_reverted', message: 'It reverted.' };
let lastChain = 1_000;

/** A row signed with a wallet's last nonce, on a separate chain whose index has reached block 100. */
async function createScene() {
  const { pool } = fixture;
  const chainId = ++lastChain;
  const wallet = getAddress(random(20));
  const id = `txn_${random(16)}`;
  await pool.query(
    `insert into service.relayer_wallets (chain_id, address, status, balance, next_nonce, lease_owner, lease_until)
     values ($1, $2, 'active', 1, $3, $4, now() + interval '1 hour')`,
    [chainId, wallet, nonce + 1, owner],
  );
  await pool.query(
    `insert into service.projections (chain_id, head_number, head_hash, head_timestamp) values ($1, 100, '0x', now())`,
    [chainId],
  );
  await pool.query(
    `insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash, deadline,
       call_data, state, wallet, wallet_nonce, tx_hash)
     values ($1, $2, 'input', $3, $3, 0, $1, '0x', 4000000000, '0x', 'signed', $3, $4, $1)`,
    [id, chainId, wallet, nonce],
  );
  const sign = async (transactionId: string | null, hash = random(32)): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction, gas,
         max_fee_per_gas, max_priority_fee_per_gas)
       values ($1, $2, $3, $4, $5, '0x', 1, 1, 1) returning id`,
      [transactionId, chainId, wallet, nonce, hash],
    );
    return rows[0]?.id ?? expect.fail('nothing was inserted');
  };
  const attemptId = await sign(id);
  const update = (table: 'transactions' | 'relayer_wallets', change: string) =>
    pool.query(`update service.${table} set ${change} where chain_id = $1`, [chainId]);
  return {
    pool,
    ...{ chainId, id, wallet, attemptId, sign },
    holder: { chainId, owner, leaseMs: 3_600_000 },
    row: { id, wallet, nonce, principalId: null },
    changeRow: (change: string) => update('transactions', change),
    changeWallet: (change: string) => update('relayer_wallets', change),
    /** Everything that the relay has stored for the chain. */
    async look(): Promise<unknown> {
      const { rows } = await pool.query(
        `select (select json_agg(tx) from service.transactions tx where chain_id = $1) as rows,
           (select json_agg(attempt order by id) from service.transaction_attempts attempt where chain_id = $1) as attempts,
           (select json_agg(wallet) from service.relayer_wallets wallet where chain_id = $1) as wallets`,
        [chainId],
      );
      return rows[0];
    },
  };
}

/** For writes that do not say whether they have changed anything. */
async function changes(scene: Scene, write: () => Promise<void>): Promise<boolean> {
  const before = await scene.look();
  await write();
  return !isDeepStrictEqual(await scene.look(), before);
}

/** An earlier input of the same agreement, which was mined before a reorg. */
const reopensEarlier = ({ pool, chainId, wallet }: Scene) =>
  pool.query(
    `insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash, deadline,
       call_data, created_at)
     values ($1, $2, 'input', $3, 'another', 0, $1, '0x', 4000000000, '0x', now() - interval '1 minute')`,
    [`txn_${random(16)}`, chainId, wallet],
  );
type Scene = Awaited<ReturnType<typeof createScene>>;

const accepted = `state = 'accepted', wallet = null, wallet_nonce = null`;
const renumbered = (scene: Scene) => scene.changeRow(`wallet_nonce = ${nonce - 1}`);
const moved = (scene: Scene) => scene.changeRow(`wallet = 'another'`);
const settled = (scene: Scene) => scene.changeRow(`state = 'mined'`);
const lostLease = (scene: Scene) => scene.changeWallet(`lease_owner = 'another'`);
const pastLease = (scene: Scene) => scene.changeWallet(`lease_until = now() - interval '1 second'`);
const lowerCounter = (scene: Scene) => scene.changeWallet(`next_nonce = ${nonce}`);

type Write = {
  name: string;
  /** Runs before the write, so that the write is due. */
  prepare?(scene: Scene): Promise<unknown>;
  write(scene: Scene): Promise<boolean>;
  unless: Record<string, (scene: Scene) => Promise<unknown>>;
};

const newAttempt = ({ wallet, attemptId, id }: Scene, transactionId: string | undefined = id) => ({
  ...{ wallet, nonce, previousId: attemptId, transactionId },
  signed: { hash: random(32), raw: '0x02' as const },
  terms: { gas: 1n, fees: { maxFeePerGas: 2n, maxPriorityFeePerGas: 2n } },
});
const unlessHeld = {
  'the lease is another’s': lostLease,
  'the lease is over': pastLease,
  'the counter is at the nonce': lowerCounter,
  'other bytes were signed for the nonce': ({ sign, id }: Scene) => sign(id),
};

const writes: Write[] = [
  {
    name: 'other bytes for a row',
    write: (scene) => storeAttempt(scene.pool, newAttempt(scene), scene.holder),
    unless: {
      ...unlessHeld,
      'the row has another nonce': renumbered,
      'the row has another wallet': moved,
      'the row is mined': settled,
    },
  },
  {
    name: 'bytes that use up a nonce',
    write: (scene) =>
      storeAttempt(scene.pool, { ...newAttempt(scene), transactionId: undefined }, scene.holder),
    unless: unlessHeld,
  },
  {
    name: 'the failure of a signed row',
    write: ({ pool, chainId, row }) =>
      failRow(pool, { chainId, row, failure, blockNumber: 100n, isPaid: true }),
    unless: {
      'the row has another nonce': renumbered,
      'the row has another wallet': moved,
      'the row is mined': settled,
      'the row waits again': (scene) => scene.changeRow(accepted),
      'an earlier row is open again': reopensEarlier,
      'the index is behind': ({ pool, chainId }) =>
        pool.query('update service.projections set head_number = 99 where chain_id = $1', [chainId]),
      'a reorganisation has left the chain shorter': ({ pool, chainId }) =>
        pool.query('update service.projections set compared_through = 99 where chain_id = $1', [chainId]),
    },
  },
  {
    name: 'the failure of an unsent row',
    prepare: (scene) => scene.changeRow(accepted),
    write: ({ pool, chainId, id }) => failUnsent(pool, { chainId, id, failure, blockNumber: 100n }),
    unless: {
      'the row is signed': (scene) => scene.changeRow(`state = 'signed'`),
      'a signer is asked for it': (scene) => scene.changeRow(`reserved_until = now() + interval '1 hour'`),
      'an earlier row is open again': reopensEarlier,
      'the index is behind': ({ pool, chainId }) =>
        pool.query('update service.projections set head_number = 99 where chain_id = $1', [chainId]),
      'a reorganisation has left the chain shorter': ({ pool, chainId }) =>
        pool.query('update service.projections set compared_through = 99 where chain_id = $1', [chainId]),
    },
  },
  {
    name: 'that a row needs a new nonce',
    write: ({ pool, chainId, row }) => requeueRow(pool, { chainId, row, gasEstimate: 5n }),
    unless: {
      'the row has another nonce': renumbered,
      'the row has another wallet': moved,
      'the row is mined': settled,
    },
  },
  {
    name: 'that earlier bytes can still be mined',
    prepare: (scene) => scene.changeRow(accepted),
    write: ({ pool, id, attemptId }) => readoptRow(pool, { id, attempt: { id: attemptId } }),
    unless: {
      'the row is signed': (scene) => scene.changeRow(`state = 'signed'`),
      'the row has failed': (scene) => scene.changeRow(`state = 'failed'`),
      'the bytes only use up a nonce': ({ pool, attemptId }) =>
        pool.query('update service.transaction_attempts set transaction_id = null where id = $1', [
          attemptId,
        ]),
    },
  },
  {
    name: 'that a node has a row',
    async prepare({ pool, id, attemptId, changeRow }) {
      const set = 'update service.transaction_attempts set accepted_at = now() where id = $1';
      await pool.query(set, [attemptId]);
      await changeRow(`updated_at = now() - interval '1 minute', tx_hash = (
        select tx_hash from service.transaction_attempts where transaction_id = '${id}')`);
    },
    write(scene) {
      const { pool, chainId, wallet } = scene;
      const wallets = [{ address: wallet, minedCount: nonce }];
      return changes(scene, () => markBroadcast(pool, { chainId, wallets, quietMs: 10_000 }));
    },
    unless: {
      'the chain has mined its nonce': renumbered,
      'the row has another wallet': moved,
      'the row is mined': settled,
      'the row waits again': (scene) => scene.changeRow(accepted),
      'it is stored already': (scene) =>
        scene.changeRow(`state = 'broadcast', updated_at = now() - interval '1 minute'`),
      'the row has changed': (scene) => scene.changeRow('updated_at = now()'),
      'the node has withdrawn its acceptance': ({ pool, attemptId }) =>
        pool.query('update service.transaction_attempts set accepted_at = null where id = $1', [attemptId]),
      async 'other bytes were signed'({ sign, id, changeRow }) {
        const hash = random(32);
        await sign(id, hash);
        await changeRow(`tx_hash = '${hash}'`);
      },
    },
  },
  {
    name: 'that a failed row is sent again',
    prepare: (scene) => scene.changeRow(`state = 'failed'`),
    write(scene) {
      const { id, chainId } = scene;
      const sender = { id, chainId, principalId: 'the sender' };
      return changes(scene, async () => {
        await reopenTransaction(fixture.database, sender);
      });
    },
    unless: {
      'it was sent again': (scene) => scene.changeRow(accepted),
      'it was sent again and signed': (scene) => scene.changeRow(`state = 'signed'`),
      'the chain shows its effect': settled,
    },
  },
  {
    name: 'a corrected counter',
    write: ({ pool, wallet, holder }) =>
      moveCounter(pool, { address: wallet, from: nonce + 1, to: nonce - 1 }, holder),
    unless: {
      'the lease is another’s': lostLease,
      'the lease is over': pastLease,
      'the counter has moved': lowerCounter,
    },
  },
  {
    name: 'the funds of a wallet',
    write(scene) {
      const status = { address: scene.wallet, status: 'active', balance: 5n, payableGas: 3n } as const;
      return changes(scene, () => writeStatuses(scene.pool, [status], scene.holder));
    },
    unless: {
      'the lease is another’s': lostLease,
      'the lease is over': pastLease,
      'they are stored already': (scene) => scene.changeWallet('balance = 5, payable_gas = 3'),
    },
  },
  {
    name: 'that a wallet is free',
    write: (scene) => changes(scene, () => releaseLeases(scene.pool, [scene.wallet], scene.holder)),
    unless: { 'the lease is another’s': lostLease },
  },
  {
    name: 'that a wallet has retired',
    prepare: pastLease,
    write(scene) {
      const { pool, chainId } = scene;
      return changes(scene, async () => {
        await retireWallets(pool, { chainId, configured: [] });
      });
    },
    unless: {
      'another process has taken it': (scene) =>
        scene.changeWallet(`lease_owner = 'another', lease_until = now() + interval '1 hour'`),
    },
  },
];

describe.each(writes)('$name', ({ prepare, write, unless }) => {
  test('is stored', async () => {
    const scene = await createScene();
    await prepare?.(scene);
    const before = await scene.look();
    expect(await write(scene)).toBe(true);
    expect(await scene.look()).not.toEqual(before);
  });

  test.each(Object.entries(unless))('is not stored if %s meanwhile', async (_, change) => {
    const scene = await createScene();
    await prepare?.(scene);
    await change(scene);
    const before = await scene.look();
    expect(await write(scene)).toBe(false);
    expect(await scene.look()).toEqual(before);
  });
});

describe('a row that waits for a signature', () => {
  /** The rows claimed by a statement that sees the row waiting, and the row as it is meanwhile. */
  async function claimDuring(scene: Scene, change: () => Promise<unknown>): Promise<string[]> {
    const { pool, wallet, holder } = scene;
    const [blocker, client] = [await pool.connect(), await pool.connect()];
    try {
      await blocker.query('begin');
      await blocker.query('select 1 from service.relayer_wallets where address = $1 for update', [wallet]);
      const turns = createClaimTurns();
      const options = { limit: 8, earliest: 0n, excluded: [], waived: [], full: [], turns };
      const claiming = readClaimable(client, { ...options, wallets: [{ address: wallet }], holder });
      await waitUntil('the claim waits', async () => (await readLockWaits(pool)).length > 0);
      await change();
      await blocker.query('commit');
      return (await claiming).rows.map(({ id }) => id);
    } finally {
      blocker.release();
      client.release();
    }
  }

  test('is claimed', async () => {
    const scene = await createScene();
    await scene.changeRow(accepted);
    expect(await claimDuring(scene, async () => {})).toEqual([scene.id]);
  });

  test.each([
    ['it has failed', `state = 'failed'`],
    ['it is signed', `state = 'signed'`],
    ['a signer is asked for it', `reserved_until = now() + interval '1 hour'`],
  ])('is not claimed if %s meanwhile', async (_, change) => {
    const scene = await createScene();
    await scene.changeRow(accepted);
    expect(await claimDuring(scene, () => scene.changeRow(change))).toEqual([]);
  });

  test.each([
    ['another’s', lostLease],
    ['over', pastLease],
  ])('is not claimed if the lease of its wallet is %s', async (_, change) => {
    const scene = await createScene();
    await scene.changeRow(accepted);
    await change(scene);
    const { pool, wallet, holder } = scene;
    const client = await pool.connect();
    try {
      const options = {
        limit: 8,
        earliest: 0n,
        excluded: [],
        waived: [],
        full: [],
        turns: createClaimTurns(),
      };
      const found = await readClaimable(client, { ...options, wallets: [{ address: wallet }], holder });
      expect(found).toMatchObject({ rows: [], nextNonces: new Map() });
    } finally {
      client.release();
    }
  });
});
