import { and, eq } from 'drizzle-orm';
import { type Address, getAddress, type Hex } from 'viem';
import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import { indexedAgreements, indexedDefinitions, indexedHeads } from '../../platform/database/indexView.ts';
import type { DataField } from '../../protocol/index.ts';

/** The index's data about an agreement of a followed factory; hashes and addresses in lower case. */
export type IndexedAgreement = {
  readonly factory: Hex;
  readonly docUri: string;
  readonly docHash: Hex;
  /** The signer of its permit; null if it was created without one. */
  readonly permitSigner: Hex | null;
  readonly permitNonce: bigint | null;
  /** The hash of everything that was signed; null without a permit, and if the creation cannot be read. */
  readonly contentHash: Hex | null;
  /** The creating transaction. */
  readonly transactionHash: Hex;
  /** Of its creation, in Unix seconds. */
  readonly blockTimestamp: bigint;
  /** The block of the deployment or of the last input. */
  readonly updatedBlockNumber: bigint;
  /** The variables of its creation; none if the creation cannot be read. */
  readonly initVars: readonly DataField[];
};

/** The index's content at an address of a chain, and how far the index has come. */
export type IndexSight = {
  readonly agreement: IndexedAgreement | undefined;
  /** Undefined while the index has not caught up with the past. */
  readonly head: bigint | undefined;
};

/** Reads one moment of the index, which may not exist yet. */
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
    if (isIndexAbsent(error)) return { agreement: undefined, head: undefined };
    throw error;
  }
}

const {
  factory,
  docUri,
  docHash,
  permitSigner,
  permitNonce,
  contentHash,
  transactionHash,
  blockTimestamp,
  updatedBlockNumber,
} = indexedAgreements;
const columns = {
  ...{ factory, docUri, docHash, permitSigner, permitNonce },
  ...{ contentHash, transactionHash, blockTimestamp, updatedBlockNumber },
};

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

/** The address of the agreement created by a permit of this nonce with this content, if the index shows it. */
export async function findDeployedAddress(
  database: Database,
  deployment: { chainId: number; factory: Address; signer: Address; nonce: bigint; contentHash: Hex },
): Promise<Address | undefined> {
  const { chainId, signer, nonce } = deployment;
  try {
    const [row] = await database
      .select({ address: indexedAgreements.address })
      .from(indexedAgreements)
      .where(
        and(
          eq(indexedAgreements.chainId, chainId),
          eq(factory, hexOf(deployment.factory)),
          eq(permitSigner, hexOf(signer)),
          eq(permitNonce, nonce),
          eq(contentHash, deployment.contentHash),
        ),
      );
    return row && getAddress(row.address);
  } catch (error) {
    if (isIndexAbsent(error)) return undefined;
    throw error;
  }
}

const hexShape = z.templateLiteral(['0x', z.string()]);
const initVarsShape = z.array(z.object({ id: hexShape, fType: z.int(), data: hexShape }));

function hexOf(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
