import type { Address } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import type { NotedAnswer } from './answerLog.ts';
import type { ChainParts } from './chainParts.ts';
import { createSender, type Sender } from './sender.ts';
import { createWallet, observeWallet, type Wallet } from './wallet.ts';

/** A wallet together with its sender. */
export type Seat = {
  readonly wallet: Wallet;
  readonly sender: Sender;
  /** Asks how many of the wallet's transactions are mined. */
  recount(): Promise<void>;
};

/** A wallet's funds are read again after this many polls. */
const restPolls = 10;

export function createSeat(
  context: ChainParts,
  {
    address,
    signer,
    onProgress,
    onObjection,
  }: {
    address: Address;
    signer: Signer | undefined;
    /** More transactions are mined than before. */
    onProgress(): void;
    /** A node has refused bytes. */
    onObjection(): void;
  },
): Seat {
  const { client, endpoints, answers, settings, logger } = context;
  const wallet = createWallet(address, signer);

  const recount = async () => {
    const minedCount = await client.getTransactionCount({ address, blockTag: 'latest' });
    // A lower number is believed only together with the chain's other answers.
    if (minedCount <= wallet.view.minedCount) return;
    observeWallet(wallet, { ...wallet.view, minedCount });
    onProgress();
  };
  const onAnswers = (noted: readonly NotedAnswer[]) => {
    answers.note(noted);
    const objections = noted.filter(({ answer }) => answer !== 'accepted');
    const [first] = objections;
    if (!first) return;
    const facts = { wallet: address, ...first, count: objections.length };
    logger.warn(facts, 'a node rejected a transaction');
    if (objections.some(({ answer }) => answer === 'insufficientFunds'))
      wallet.restsUntil = performance.now() + settings.pollMs * restPolls;
    onObjection();
  };
  return { wallet, recount, sender: createSender({ client, endpoints, count: recount, onAnswers }) };
}
