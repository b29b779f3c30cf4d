import { sql } from 'drizzle-orm';
import type { Address, Hex, PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { reorgWindowOf } from '../../platform/config/chainDefaults.ts';
import type { Database } from '../../platform/database/database.ts';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import type { indexedHeads, indexedInputs } from '../../platform/database/indexView.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import { chainUnavailable } from '../../platform/nodes/unavailable.ts';

/** An input, by what no reorg changes. */
export type InputKey = { readonly transactionHash: Hex; readonly ordinal: number };

/** What an agreement has behind it when it is adopted. */
export type AdoptedPast = {
  /** The latest block that index or node showed at the look-up: the agreement's past ends there. */
  readonly latestBlock: bigint;
  /** The inputs up to this block belong to the past; of later ones, only those listed. */
  readonly finalBlock: bigint;
  readonly recentInputs: readonly InputKey[];
};

/** If a node claims to be further ahead of the index, only the index counts: the node lies, or the index stands still. */
const mostBlocksAhead = 20n;
/**
 * The most inputs listed. An agreement that had more in blocks that a reorg can reach is divided by block further on: there,
 * a reorg that moves an input across that block is not noticed.
 */
const mostListed = 5_000;

type Look = {
  chainId: number;
  address: Address;
  /** As a node says. */
  latestBlock: bigint;
  /** The block of the agreement's deployment or last input in an earlier look into the index. */
  updatedBlock: bigint;
};

/**
 * The agreement's past as one moment of the index shows it. A node tells of the few blocks that the index lacks.
 *
 * @throws ChainUnavailableError if either of them cannot be asked.
 */
export async function readAdoptedPast(
  { latestBlock: told, updatedBlock, ...place }: Look,
  { database, client }: { database: Database; client: PublicClient },
): Promise<AdoptedPast> {
  const reach = BigInt(reorgWindowOf(place.chainId));
  const { head, inputs } = await readIndexed(database, { ...place, latestBlock: told, reach });
  const isNear = head === undefined || told <= head + mostBlocksAhead;
  const final = highest([(head !== undefined && head < told ? head : told) - reach, 0n]);
  const from = head ?? final;
  const further =
    isNear && told > from
      ? await readLogs(client, { ...place, from, through: told })
      : { through: from, inputs: [] };
  // The asked node may lag behind the indexed one.
  const latestBlock = highest([further.through, updatedBlock, inputs[0]?.blockNumber ?? 0n]);
  return { latestBlock, ...listNewest([...further.inputs, ...inputs], final) };
}

type PlacedInput = InputKey & { readonly blockNumber: bigint };

function listNewest(
  found: readonly PlacedInput[],
  final: bigint,
): Pick<AdoptedPast, 'finalBlock' | 'recentInputs'> {
  // Node and index may both tell of an input.
  const unique = new Map(found.map((input) => [`${input.transactionHash} ${input.ordinal}`, input]));
  const inputs = [...unique.values()].sort((one, other) => Number(other.blockNumber - one.blockNumber));
  const beyond = inputs[mostListed]?.blockNumber ?? final;
  const finalBlock = highest([beyond, final]);
  const recentInputs = inputs
    .filter(({ blockNumber }) => blockNumber > finalBlock)
    .map(({ transactionHash, ordinal }) => ({ transactionHash, ordinal }));
  return { finalBlock, recentInputs };
}

type Row = {
  [Column in keyof RowAs<typeof indexedInputs, { hash: 'transaction_hash' }>]: Hex | null;
} & Partial<RowOf<typeof indexedInputs, 'transaction_ordinal' | 'block_number'>> & {
    head: RowOf<typeof indexedHeads, 'number'>['number'] | null;
  };

async function readIndexed(
  database: Database,
  { chainId, address, latestBlock, reach }: Omit<Look, 'updatedBlock'> & { reach: bigint },
): Promise<{ head: bigint | undefined; inputs: PlacedInput[] }> {
  const { rows } = await database
    .execute<Row>(sql`
      select head.number::text as head, recent.transaction_hash as hash, recent.transaction_ordinal, recent.block_number::text
      from (values (1)) as one
      left join chain_index.heads head on head.chain_id = ${chainId}
      left join lateral (
        select position, transaction_hash, transaction_ordinal, block_number from chain_index.inputs
        where chain_id = ${chainId} and agreement = ${address.toLowerCase()}
        order by position desc limit ${mostListed + 1}
      ) as recent on recent.block_number > least(head.number, ${latestBlock}::numeric) - ${reach}::numeric
      order by recent.position desc`)
    .catch((cause: unknown) => {
      throw isIndexAbsent(cause) ? new ChainUnavailableError('The index is behind the chain.') : cause;
    });
  const head = rows[0]?.head ?? undefined;
  const inputs = rows.flatMap(({ hash, transaction_ordinal: ordinal, block_number: number }) =>
    hash === null || ordinal === undefined || number === undefined
      ? []
      : [{ transactionHash: hash, ordinal, blockNumber: BigInt(number) }],
  );
  return { head: head === undefined ? undefined : BigInt(head), inputs };
}

/** The inputs from a block on, and the block through which they are complete: the asked node may lack the last ones. */
async function readLogs(
  client: PublicClient,
  { address, from, through }: { address: Address; from: bigint; through: bigint },
): Promise<{ through: bigint; inputs: PlacedInput[] }> {
  // Nodes refuse ranges with blocks that they do not have, or leave these out.
  const range = { fromBlock: from, toBlock: 'latest' } as const;
  // In one batch, so that usually one node answers both.
  const [own, all] = await Promise.all([
    client.getBlockNumber({ cacheTime: 0 }),
    client.getContractEvents({ address, abi: agreementEngineAbi, eventName: 'InputAccepted', ...range }),
  ]).catch((cause: unknown) => {
    throw chainUnavailable(cause);
  });
  const end = own < from ? from : own < through ? own : through;
  const counts = new Map<Hex, number>();
  const inputs = all
    .filter(({ blockNumber }) => blockNumber >= from && blockNumber <= end)
    .map(({ transactionHash, blockNumber }) => {
      const ordinal = counts.get(transactionHash) ?? 0;
      counts.set(transactionHash, ordinal + 1);
      return { transactionHash, ordinal, blockNumber };
    });
  return { through: end, inputs };
}

function highest(numbers: readonly bigint[]): bigint {
  return numbers.reduce((one, other) => (one > other ? one : other));
}
