import { randomBytes } from 'node:crypto';
import pino from 'pino';
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbiItem,
  parseEther,
  parseGwei,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { deployTestToken } from '../../contracts-test/deploy.ts';
import { startAnvil } from '../../src/cli/devtools/anvil.ts';
import type { RelaySettings } from '../../src/platform/config/relaySettings.ts';
import { channels } from '../../src/platform/database/channels.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createChainAccess } from '../../src/platform/nodes/clients.ts';
import { createKeySigner } from '../../src/platform/signers/keySigner.ts';
import type { RelaySigners } from '../../src/platform/signers/openSigners.ts';
import { createRelay, type Relay } from '../../src/worker/relay/relay.ts';
import { createAnvilClient } from './anvilClient.ts';
import { type BlockMaker, startBlockMaker } from './blockMaker.ts';
import { emptyTables } from './emptyTables.ts';
import { createMigratedDatabase } from './postgres.ts';
import { createDisturbedNode, type DisturbedNode } from './relayNode.ts';
import { quickSettings } from './relaySettings.ts';
import { waitUntil } from './waitUntil.ts';

export type RelayStart = {
  keys: readonly Hex[];
  /** In addition to the keys: signers that become available later. */
  awaited?: RelaySigners['awaited'];
  settings?: Partial<RelaySettings>;
  rpcUrls?: [string, ...string[]];
  confirmations?: number;
  rpcTimeoutMs?: number;
};

export type RowState = {
  state: string;
  wallet: Address | null;
  nonce: number | null;
  hash: Hex | null;
  failure: { reason: string; message: string; [fact: string]: unknown } | null;
  attempts: { hash: Hex; nonce: number; wallet: Address; fee: bigint; isAccepted: boolean }[];
};

type HowDisturbed = Parameters<typeof createDisturbedNode> extends [string, ...infer Rest] ? Rest : never;

export type RelayWorld = Awaited<ReturnType<typeof createRelayWorld>>;

const mintEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
const zeroAddress = '0x0000000000000000000000000000000000000000';

/** A database, an Anvil, and a token that the outbox rows mint. Every recipient belongs to one row. */
export async function createRelayWorld({
  chainId = 84_532,
  anvilArguments = [],
}: {
  chainId?: number;
  anvilArguments?: readonly string[];
} = {}) {
  const testDatabase = await createMigratedDatabase();
  const databaseUrl = testDatabase.url;
  const logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const handle = createDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 10, logger });
  const { pool } = handle;
  const anvil = await startAnvil({ chainId, extraArgs: anvilArguments });
  const rpcUrl = anvil.rpcUrl;
  const client = createAnvilClient(rpcUrl);
  const token = await deployTestToken({ rpcUrl });
  const relays: Relay[] = [];
  const nodes: DisturbedNode[] = [];
  let blockMaker: BlockMaker | undefined;
  let firstBlock = 0n;
  let isIndexing = false;
  let indexing = Promise.resolve();

  const createWallets = async (count: number, ether = '100'): Promise<Hex[]> => {
    const keys = Array.from({ length: count }, () => generatePrivateKey());
    for (const key of keys)
      await client.setBalance({ address: privateKeyToAddress(key), value: parseEther(ether) });
    return keys;
  };

  const createWallet = async (ether?: string): Promise<{ key: Hex; address: Address }> => {
    const [key = '0x'] = await createWallets(1, ether);
    return { key, address: privateKeyToAddress(key) };
  };

  /** Stores rows like the API. They are independent, like deployments by different signers. */
  const accept = async (
    count: number,
    row: {
      kind?: 'deploy' | 'input';
      to?: Address;
      data?: Hex;
      deadline?: bigint;
      gasEstimate?: bigint | null;
      principalId?: string;
    } = {},
  ): Promise<{ id: string; recipient: Address }[]> => {
    const {
      kind = 'deploy',
      to = token,
      deadline = (await client.getBlock()).timestamp + 3_600n,
      gasEstimate = 60_000n,
    } = row;
    const made = Array.from({ length: count }, () => {
      const recipient = getAddress(toHex(randomBytes(20)));
      const mint = encodeFunctionData({ abi: testTokenAbi, functionName: 'mint', args: [recipient, 1n] });
      return { id: `txn_${randomBytes(16).toString('hex')}`, recipient, data: row.data ?? mint };
    });
    await pool.query(
      `with stored as (
         insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash,
           deadline, call_data, gas_estimate, principal_id)
         select id, $3, $10, $4, signer, 0, signer, id, $5, data, $6, $11
         from unnest($1::text[], $2::text[], $7::text[]) as row(id, signer, data))
       select pg_notify($8, $9)`,
      [
        made.map(({ id }) => id),
        made.map(({ recipient }) => recipient),
        chainId,
        to,
        String(deadline),
        gasEstimate === null ? null : String(gasEstimate),
        made.map(({ data }) => data),
        channels.outbox,
        String(chainId),
        kind,
        row.principalId ?? null,
      ],
    );
    return made;
  };

  const acceptOne = async (
    ...row: Parameters<typeof accept> extends [number, ...infer Rest] ? Rest : never
  ) => {
    const [one] = await accept(1, ...row);
    if (!one) throw new Error('nothing was stored');
    return one;
  };

  /** Number of mints for each recipient since the last reset. */
  const countMints = async (): Promise<Map<Address, number>> => {
    const logs = await client.getLogs({
      address: token,
      event: mintEvent,
      args: { from: zeroAddress },
      fromBlock: firstBlock,
    });
    const counts = new Map<Address, number>();
    for (const { args } of logs) if (args.to) counts.set(args.to, (counts.get(args.to) ?? 0) + 1);
    return counts;
  };

  /** Writes the rows that the indexer and the projector would write for the current chain. */
  const indexOnce = async () => {
    const block = await client.getBlock();
    const minted = [...(await countMints()).keys()];
    await pool.query(
      `with mined as (
         update service.transactions set state = 'mined', failure = null, mined_block_number = $3
         where chain_id = $1 and signer = any($2) and state in ('signed', 'broadcast')),
       expired as (
         update service.transactions set state = 'failed', failure = '{"reason": "permit_expired", "message": ""}'
         where chain_id = $1 and signer <> all($2) and state in ('accepted', 'signed', 'broadcast') and deadline < $5)
       insert into service.projections (chain_id, head_number, head_hash, head_timestamp) values ($1, $3, $4, now())
       on conflict (chain_id) do update set head_number = excluded.head_number, head_hash = excluded.head_hash`,
      [chainId, minted, String(block.number), block.hash, String(block.timestamp)],
    );
  };

  const readRow = async (id: string): Promise<RowState> => {
    const { rows } = await pool.query<Omit<RowState, 'nonce'> & { nonce: string | null }>(
      `select state, wallet, wallet_nonce as nonce, tx_hash as hash, failure, coalesce((
         select json_agg(json_build_object('hash', tx_hash, 'nonce', wallet_nonce, 'wallet', wallet,
           'fee', max_fee_per_gas::text, 'isAccepted', accepted_at is not null) order by attempt.id)
         from service.transaction_attempts attempt where attempt.transaction_id = tx.id), '[]') as attempts
       from service.transactions tx where id = $1`,
      [id],
    );
    const [row] = rows;
    if (!row) throw new Error(`there is no row ${id}`);
    const attempts = row.attempts.map((attempt) => ({ ...attempt, fee: BigInt(attempt.fee) }));
    return { ...row, attempts, nonce: row.nonce === null ? null : Number(row.nonce) };
  };

  const startRelay = async ({
    keys,
    awaited = [],
    settings = {},
    rpcUrls = [rpcUrl],
    confirmations = 1,
    rpcTimeoutMs = 5_000,
  }: RelayStart) => {
    const relay = createRelay({
      pool,
      databaseUrl,
      chains: [{ chainId, confirmations }],
      access: createChainAccess([{ chainId, name: 'test', rpcUrls }], { rpcTimeoutMs }),
      signers: new Map([[chainId, { ready: keys.map(createKeySigner), awaited }]]),
      settings: new Map([[chainId, { ...quickSettings, ...settings }]]),
      logger,
    });
    relays.push(relay);
    await relay.ready;
    return relay;
  };

  return {
    chainId,
    databaseUrl,
    pool,
    rpcUrl,
    client,
    token,
    createWallets,
    createWallet,
    accept,
    acceptOne,
    countMints,
    indexOnce,
    readRow,
    startRelay,
    /** From now on, makes the index follow the chain, in place of indexer and projector. */
    startIndexing() {
      isIndexing = true;
      const turn = async () => {
        while (isIndexing) {
          await indexOnce();
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
      };
      indexing = turn();
    },
    async stopIndexing() {
      isIndexing = false;
      await indexing;
    },
    async waitForState(id: string, state: string): Promise<RowState> {
      return waitUntil(`the row is ${state}`, async () => {
        const row = await readRow(id);
        return row.state === state && row;
      });
    },
    /** Waits until a node has accepted the newest bytes of the row. */
    async waitForNode(id: string): Promise<RowState> {
      return waitUntil('a node has the row', async () => {
        const row = await readRow(id);
        return row.attempts.at(-1)?.isAccepted && row;
      });
    },
    async waitForAll(ids: readonly string[], state: string): Promise<void> {
      const query =
        'select count(*)::int as count from service.transactions where id = any($1) and state = $2';
      await waitUntil(
        `all rows are ${state}`,
        async () => (await pool.query(query, [ids, state])).rows[0]?.count === ids.length,
      );
    },
    async waitForMints(recipients: readonly Address[]): Promise<void> {
      await waitUntil('everything is minted', async () => {
        const counts = await countMints();
        return recipients.every((recipient) => counts.has(recipient));
      });
    },
    /** A wallet's signed transactions that only use up a nonce. */
    async readFillers(address: Address): Promise<{ nonce: number; gas: string }[]> {
      const { rows } = await pool.query<{ nonce: string; gas: string }>(
        `select distinct wallet_nonce as nonce, gas from service.transaction_attempts
         where wallet = $1 and transaction_id is null order by nonce`,
        [address],
      );
      return rows.map(({ nonce, gas }) => ({ nonce: Number(nonce), gas }));
    },
    async readWallet(address: Address) {
      const { rows } = await pool.query<{
        status: string;
        next_nonce: string;
        balance: string;
        lease_owner: string | null;
      }>(
        `select status, next_nonce, balance, lease_owner from service.relayer_wallets where chain_id = $1 and address = $2`,
        [chainId, address],
      );
      return rows[0];
    },
    /** A node of the chain with the given disturbance; the test's reset closes it. */
    async disturb(...how: HowDisturbed): Promise<DisturbedNode> {
      const node = await createDisturbedNode(rpcUrl, ...how);
      nodes.push(node);
      return node;
    },
    /** Ends all started relays and nodes, and deletes all rows. The next test continues on the same chain. */
    async reset(): Promise<void> {
      await Promise.all(relays.splice(0).map((relay) => relay.close()));
      await this.stopIndexing();
      await this.returnMining();
      firstBlock = await client.getBlockNumber();
      await emptyTables(pool, ['transactions', 'relayer_wallets', 'projections']);
      await Promise.all(nodes.splice(0).map((node) => node.close()));
    },
    async close(): Promise<void> {
      await Promise.all(relays.splice(0).map((relay) => relay.close()));
      await this.stopIndexing();
      await this.returnMining();
      await Promise.all(nodes.splice(0).map((node) => node.close()));
      await handle.close();
      await anvil.stop();
      await testDatabase.drop();
    },
    /** Mines one block with this base fee, which leaves out cheaper transactions. */
    async mineAt(gwei: string): Promise<void> {
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
      await client.mine({ blocks: 1 });
    },
    /**
     * Mines blocks in place of Anvil until the next reset: needed if blocks are dropped while the relay
     * sends.
     */
    async takeOverMining(): Promise<void> {
      blockMaker ??= await startBlockMaker(client);
    },
    async returnMining(): Promise<void> {
      await blockMaker?.stop();
      blockMaker = undefined;
    },
    /** Replaces the last blocks of the chain, and their transactions, by the same number of empty blocks. */
    async dropBlocks(depth: number): Promise<void> {
      const drop = () =>
        client.request<{ Method: 'anvil_reorg'; Parameters: [number, unknown[]]; ReturnType: null }>({
          method: 'anvil_reorg',
          params: [depth, []],
        });
      await (blockMaker ? blockMaker.between(drop) : drop());
    },
  };
}
