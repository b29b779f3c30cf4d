import { type Address, type Hex, hexToBigInt, type PublicClient } from 'viem';

/** One signed form of a transaction. */
export type AttemptKey = {
  readonly id: string;
  readonly wallet: Address;
  readonly nonce: number;
  readonly hash: Hex;
};

export type Receipt = {
  readonly hash: Hex;
  readonly blockNumber: bigint;
  readonly isReverted: boolean;
  readonly gasUsed: bigint;
};

/** The fate of everything ever signed for one transaction. */
export type Fate =
  | { readonly kind: 'succeeded' | 'reverted'; readonly receipt: Receipt }
  /** This attempt can still be mined: its nonce is unused. */
  | { readonly kind: 'possible'; readonly attempt: AttemptKey }
  /** None was mined, and none can be any more: other transactions used up their nonces. */
  | { readonly kind: 'impossible' }
  /** No endpoint gave a complete answer. */
  | { readonly kind: 'unknown' };

/** The receipts of those hashes that the node knows as mined. */
export async function readReceipts(client: PublicClient, hashes: readonly Hex[]): Promise<Receipt[]> {
  const found = await Promise.all(
    hashes.map(async (hash): Promise<Receipt[]> => {
      const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      if (!receipt?.blockNumber) return [];
      const blockNumber = hexToBigInt(receipt.blockNumber);
      const gasUsed = hexToBigInt(receipt.gasUsed);
      return [{ hash, blockNumber, isReverted: receipt.status === '0x0', gasUsed }];
    }),
  );
  return found.flat();
}

/**
 * Asks every endpoint about all signed forms. It believes that an attempt cannot be mined only if all
 * answering endpoints agree, each in one request: the node without a receipt must itself say that the nonce
 * was used up by `depthBlock`.
 */
export async function findFate(
  endpoints: readonly PublicClient[],
  { attempts, depthBlock }: { attempts: readonly AttemptKey[]; depthBlock: bigint },
): Promise<Fate> {
  const asked = await Promise.allSettled(endpoints.map((client) => ask(client, attempts, depthBlock)));
  const answers = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (answers.length === 0) return { kind: 'unknown' };

  const receipts = answers.flatMap((answer) => answer.receipts);
  const succeeded = receipts.find(({ isReverted }) => !isReverted);
  if (succeeded) return { kind: 'succeeded', receipt: succeeded };
  const mined = new Set(receipts.map(({ hash }) => hash));
  const possible = attempts.findLast(
    ({ hash, wallet, nonce }) =>
      !mined.has(hash) && answers.some(({ counts }) => (counts.get(wallet) ?? 0) <= nonce),
  );
  if (possible) return { kind: 'possible', attempt: possible };
  const newest = attempts.findLast(({ hash }) => mined.has(hash));
  const reverted = newest && receipts.find(({ hash }) => hash === newest.hash);
  return reverted ? { kind: 'reverted', receipt: reverted } : { kind: 'impossible' };
}

async function ask(client: PublicClient, attempts: readonly AttemptKey[], blockNumber: bigint) {
  const wallets = [...new Set(attempts.map(({ wallet }) => wallet))];
  const [receipts, counts] = await Promise.all([
    readReceipts(
      client,
      attempts.map(({ hash }) => hash),
    ),
    Promise.all(
      wallets.map(async (address): Promise<[Address, number]> => {
        return [address, await client.getTransactionCount({ address, blockNumber })];
      }),
    ),
  ]);
  return { receipts, counts: new Map(counts) };
}
