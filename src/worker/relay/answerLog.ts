import type pg from 'pg';
import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { NodeAnswer } from '../../platform/nodes/nodeAnswer.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { createRepeater } from '../leases/repeater.ts';

export type NotedAnswer = { hash: Hex; answer: NodeAnswer; text: string | undefined };

export type AnswerLog = {
  note(answers: readonly NotedAnswer[]): void;
  /** Writes the noted answers now; on failure they stay noted. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

const delayMs = 200;

/**
 * Stores the nodes' answers to signed bytes. A crash may lose them, so they are written a little later and
 * many at a time.
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
      await flush().catch((error) => logger.debug({ err: error }, 'the last answers of the nodes are lost'));
    },
  };
}

async function write(pool: pg.Pool, chainId: number, answers: readonly NotedAnswer[]): Promise<void> {
  await pool.query({
    name: 'relay answers',
    text: `
      update service.transaction_attempts attempt
      set accepted_at = case when answer.objection is null then now() else attempt.accepted_at end,
        objection = answer.objection, objection_text = answer.objection_text
      from unnest($2::text[], $3::text[], $4::text[]) as answer(hash, objection, objection_text)
      where attempt.chain_id = $1 and attempt.tx_hash = answer.hash`,
    values: [
      chainId,
      answers.map(({ hash }) => hash),
      answers.map(({ answer }) => (answer === 'accepted' ? null : answer)),
      answers.map(({ text }) => text ?? null),
    ],
  });
}
