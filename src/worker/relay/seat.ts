import type { Address } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import type { NotedAnswer } from './answerLog.ts';
import type { ChainParts } from './chainParts.ts';
import { createSender, type Sender } from './sender.ts';
import { createWallet, observeWallet, type Wallet } from './wallet.ts';

/** A wallet together with what sends its bytes. */
export type Seat = {
  readonly wallet: Wallet;
  readonly sender: Sender;
  /** Asks how many of the wallet's transactions are mined now. */
  recount(): Promise<void>;
};

/** What nodes say of a wallet's funds is believed for so many polls. */
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
    /** More is mined than before. */
    onProgress(): void;
    /** A node has not taken something. */
    onObjection(): void;
  },
): Seat {
  const { client, endpoints, answers, settings, logger } = context;
  const wallet = createWallet(address, signer);

  const recount = async () => {
    const minedCount = await client.getTransactionCount({ address, blockTag: 'latest' });
    // Less is believed only together with everything else that the chain says.
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
    logger.warn(facts, 'a node objects to a transaction');
    if (objections.some(({ answer }) => answer === 'insufficientFunds'))
      wallet.restsUntil = performance.now() + settings.pollMs * restPolls;
    onObjection();
  };
  return { wallet, recount, sender: createSender({ client, endpoints, count: recount, onAnswers }) };
}
