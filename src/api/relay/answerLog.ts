import type pg from 'pg';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { NodeAnswer } from '../chain/nodeAnswer.ts';
import { faultPoint } from '../supervision/faultPoint.ts';
import { createRepeater } from './repeater.ts';

export type NotedAnswer = { hash: Hex; answer: NodeAnswer; text: string | undefined };

export type AnswerLog = {
  note(answers: readonly NotedAnswer[]): void;
  /** Writes what is noted now; what cannot be written is noted still. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const delayMs = 200;

/**
 * Keeps what nodes said to signed bytes. None of it is needed to go on after a crash, so it is written a little later and many at
 * a time; by then most rows are mined, and need not become `broadcast` in between.
 */
export function createAnswerLog(options: { pool: pg.Pool; chainId: number; logger: Logger }): AnswerLog {
  const { pool, chainId, logger } = options;
  let noted = new Map<Hex, NotedAnswer>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    if (noted.size === 0) return;
    const batch = noted;
    noted = new Map();
    faultPoint('beforeStateWrite');
    try {
      await write(pool, chainId, [...batch.values()]);
      faultPoint('afterStateWrite');
    } catch (error) {
      noted = new Map([...batch, ...noted]);
      throw error;
    }
  };
  const flushing = createRepeater({
    what: 'noting what nodes said',
    work: flush,
    pauseMs: () => undefined,
    logger,
  });

  return {
    note(answers) {
      for (const answer of answers) noted.set(answer.hash, answer);
      timer ??= setTimeout(() => {
        timer = undefined;
        flushing.wake();
      }, delayMs);
    },
    flush,
    async close() {
      clearTimeout(timer);
      await flushing.close();
      await flush().catch((error) => logger.debug({ err: error }, 'what nodes said last is lost'));
    },
  };
}

async function write(pool: pg.Pool, chainId: number, answers: readonly NotedAnswer[]): Promise<void> {
  await pool.query({
    name: 'relay answers',
    // A row that another process writes to is skipped, so that neither waits for the other in a circle. The state is compared in a
    // form that no partial index has: an index of rows that stay for a moment is taken for empty, and would be read as a whole.
    text: `
      with answers as (
        select * from unnest($2::text[], $3::boolean[], $4::text[]) as it(hash, is_accepted, objection)),
      attempts as (
        update service.transaction_attempts it
        set accepted_at = case when is_accepted then now() else it.accepted_at end, last_error = objection
        from answers where it.chain_id = $1 and it.tx_hash = answers.hash
        returning it.transaction_id, it.tx_hash, is_accepted),
      taken as (
        select id from service.transactions
        where (id, tx_hash) in (select transaction_id, tx_hash from attempts where is_accepted) and state || '' = 'signed'
        for update skip locked)
      update service.transactions it set state = 'broadcast', updated_at = now() from taken where it.id = taken.id`,
    values: [
      chainId,
      answers.map(({ hash }) => hash),
      answers.map(({ answer }) => answer === 'accepted'),
      answers.map(({ answer, text }) => (answer === 'accepted' ? null : `${answer}: ${text ?? ''}`)),
    ],
  });
}
