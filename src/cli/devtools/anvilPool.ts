import { type Address, createTestClient, type Hash, type Hex, http, publicActions } from 'viem';

const pollMs = 1_000;
const answerTimeoutMs = 5_000;

type GetRawTransaction = {
  Method: 'eth_getRawTransactionByHash';
  Parameters: [hash: Hash];
  ReturnType: Hex | null;
};
type RemoveTransactions = {
  Method: 'anvil_removePoolTransactions';
  Parameters: [sender: Address];
  ReturnType: unknown;
};

/** A sender whose next transaction waits although nothing comes before it, and the hashes of all that wait. */
type StuckSender = { readonly sender: Address; readonly hashes: readonly Hash[] };

/**
 * Frees transactions that Anvil would keep permanently: one that arrives at the moment at which the sender's previous
 * one is mined may be queued behind it, and then nothing but another transaction with its nonce frees it. The same
 * bytes are taken out of the pool and handed in again, in the order of their nonces.
 *
 * @returns a function that ends it.
 */
export function watchAnvilPool(rpcUrl: string): () => void {
  const transport = http(rpcUrl, { retryCount: 0, timeout: answerTimeoutMs });
  const client = createTestClient({ mode: 'anvil', transport }).extend(publicActions);
  let isLooking = false;
  let suspects = new Set<Hash>();

  const findStuck = async (): Promise<StuckSender[]> => {
    if ((await client.getTxpoolStatus()).queued === 0) return [];
    const { pending, queued } = await client.getTxpoolContent();
    const stuck: StuckSender[] = [];
    for (const [key, byNonce] of Object.entries(queued)) {
      const sender = key as Address;
      const nonces = Object.keys(byNonce).sort((a, b) => Number(a) - Number(b));
      const isNext = Number(nonces[0]) === (await client.getTransactionCount({ address: sender }));
      if (!isNext || Object.keys(pending[sender] ?? {}).length > 0) continue;
      stuck.push({ sender, hashes: nonces.flatMap((nonce) => byNonce[nonce]?.hash ?? []) });
    }
    return stuck;
  };
  const free = async ({ sender, hashes }: StuckSender) => {
    const raw = await Promise.all(
      hashes.map((hash) =>
        client.request<GetRawTransaction>({ method: 'eth_getRawTransactionByHash', params: [hash] }),
      ),
    );
    await client.request<RemoveTransactions>({ method: 'anvil_removePoolTransactions', params: [sender] });
    for (const serializedTransaction of raw) {
      if (serializedTransaction) await client.sendRawTransaction({ serializedTransaction }).catch(() => {});
    }
  };
  const look = async () => {
    const stuck = await findStuck();
    // Seen twice: between two answers of one look, a block may have been mined.
    const firsts = new Set<Hash>();
    for (const sender of stuck) {
      const [first = '0x'] = sender.hashes;
      if (suspects.has(first)) await free(sender);
      else firsts.add(first);
    }
    suspects = firsts;
  };

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // An Anvil that does not answer is checked again.
    void look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}
