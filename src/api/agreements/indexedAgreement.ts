import { and, eq } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import type { DataField } from '../../protocol/index.ts';
import type { Database } from '../database/database.ts';
import { indexedAgreements, indexedDefinitions, indexedHeads } from '../database/indexView.ts';

/** What the index knows of an agreement that a followed factory has made; hashes and addresses in lower case. */
export type IndexedAgreement = {
  readonly factory: Hex;
  readonly docUri: string;
  readonly docHash: Hex;
  /** Whose permit made it; null where it was made without one. */
  readonly permitSigner: Hex | null;
  readonly permitNonce: bigint | null;
  /** The block of the deployment or of the last input. */
  readonly updatedBlockNumber: bigint;
  /** The variables that it was created with; none where its creation cannot be read. */
  readonly initVars: readonly DataField[];
};

/** What the index of a chain shows at an address, and how far it has come. */
export type IndexSight = {
  readonly agreement: IndexedAgreement | undefined;
  /** Undefined while the index has not caught up with the past. */
  readonly head: bigint | undefined;
};

/** Looks at one moment of the index, which may not even be there yet. */
export async function lookIntoIndex(
  database: Database,
  { chainId, address }: { chainId: number; address: Address },
): Promise<IndexSight> {
  const ofChain = and(eq(indexedHeads.chainId, chainId));
  try {
    const [head] = await database.select({ number: indexedHeads.number }).from(indexedHeads).where(ofChain);
    const agreement = await findAgreement(database, { chainId, address });
    return { agreement, head: head?.number };
  } catch (error) {
    if (isAbsence(error)) return { agreement: undefined, head: undefined };
    throw error;
  }
}

const { factory, docUri, docHash, permitSigner, permitNonce, updatedBlockNumber } = indexedAgreements;
const columns = { factory, docUri, docHash, permitSigner, permitNonce, updatedBlockNumber };

async function findAgreement(
  database: Database,
  { chainId, address }: { chainId: number; address: Address },
): Promise<IndexedAgreement | undefined> {
  const agreement = hexOf(address);
  const [row] = await database
    .select({ ...columns, initVars: indexedDefinitions.initVars })
    .from(indexedAgreements)
    .leftJoin(
      indexedDefinitions,
      and(eq(indexedDefinitions.chainId, chainId), eq(indexedDefinitions.agreement, agreement)),
    )
    .where(and(eq(indexedAgreements.chainId, chainId), eq(indexedAgreements.address, agreement)));
  return row && { ...row, initVars: initVarsShape.parse(row.initVars ?? []) };
}

const hexShape = z.templateLiteral(['0x', z.string()]);
const initVarsShape = z.array(z.object({ id: hexShape, fType: z.int(), data: hexShape }));

function hexOf(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** Undefined schema, table or column: the indexer has not made its views yet. */
const absences = new Set(['3F000', '42P01', '42703']);

function isAbsence(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && absences.has(String(cause.code))) return true;
  return false;
}
