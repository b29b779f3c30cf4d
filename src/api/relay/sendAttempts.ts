import { sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { faultPoint } from './faultPoint.ts';
import { describe, type NodeAnswer, readNodeAnswer } from './nodeAnswer.ts';
import type { SigningContext } from './signClaims.ts';

/** Signed bytes that are stored. */
export type StoredBytes = { transactionId: string | null; wallet: Address; hash: Hex; raw: Hex };

type Answered = StoredBytes & { answer: NodeAnswer; error: string | null };

/**
 * Hands stored bytes to the chain's nodes and notes what they said. No answer changes anything but that: whether a transaction
 * happened is read from the chain.
 */
export async function sendAttempts(
  context: SigningContext,
  attempts: readonly StoredBytes[],
): Promise<Answered[]> {
  if (attempts.length === 0) return [];
  const answered = await Promise.all(attempts.map((attempt) => send(context, attempt)));
  faultPoint('sent');
  await noteAnswers(context, answered);
  faultPoint('noted');
  return answered;
}

async function send({ client, logger, chainId }: SigningContext, attempt: StoredBytes): Promise<Answered> {
  try {
    await client.sendRawTransaction({ serializedTransaction: attempt.raw });
    return { ...attempt, answer: 'accepted', error: null };
  } catch (error) {
    const answer = readNodeAnswer(error);
    if (answer === 'accepted') return { ...attempt, answer, error: null };
    const text = describe(error);
    logger.warn(
      { chainId, transaction: attempt.transactionId, hash: attempt.hash, answer, text },
      'a node objects',
    );
    return { ...attempt, answer, error: text };
  }
}

async function noteAnswers(
  { database, chainId }: SigningContext,
  answered: readonly Answered[],
): Promise<void> {
  const rows = answered.map(({ transactionId, hash, answer, error }) => ({
    id: transactionId,
    hash,
    accepted: answer === 'accepted',
    error,
  }));
  await database.execute(sql`
    with answers as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as answer(id text, hash text, accepted boolean, error text))
    , noted as (
      update service.transaction_attempts attempt
      set accepted_at = case when answers.accepted then now() else attempt.accepted_at end, last_error = answers.error
      from answers where attempt.chain_id = ${chainId} and attempt.tx_hash = answers.hash
      returning attempt.id)
    update service.transactions it set state = 'broadcast', updated_at = now()
    from answers
    where it.id = answers.id and it.tx_hash = answers.hash and it.state = 'signed' and answers.accepted`);
}
