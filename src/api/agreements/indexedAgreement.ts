import { and, eq } from 'drizzle-orm';
import { type Address, getAddress, type Hex } from 'viem';
import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import { indexedAgreements, indexedDefinitions, indexedHeads } from '../../platform/database/indexView.ts';
import type { DataField } from '../../protocol/index.ts';

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
    if (isIndexAbsent(error)) return { agreement: undefined, head: undefined };
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

/** Where the index shows the agreement that a permit of this nonce has made with this content; undefined where it shows none. */
export async function findDeployedAddress(
  database: Database,
  deployment: { chainId: number; factory: Address; signer: Address; nonce: bigint; contentHash: Hex },
): Promise<Address | undefined> {
  const { chainId, signer, nonce, contentHash } = deployment;
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
          eq(indexedAgreements.contentHash, contentHash),
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
