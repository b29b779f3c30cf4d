import type { Database } from '../../platform/database/database.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import type { PermitFacts } from '../../platform/nodes/readPermitFacts.ts';

type Clocks = { readonly facts: Pick<PermitFacts, 'blockTimestamp'>; readonly database: Database };

/**
 * Whether all later blocks are past the deadline, by the chain's clock or by the service's. The latter is this machine's clock
 * confirmed by the database's: a machine whose clock is ahead must not refuse what the chain would take.
 */
export async function isExpired(deadline: bigint, { facts, database }: Clocks): Promise<boolean> {
  return deadline < facts.blockTimestamp || deadline < (await readServiceTime(database, deadline));
}

/**
 * @throws RefusedError `permit_expired` for a deadline that has passed, as `isExpired` says, `deadline_too_far` for one that
 * lies further ahead than permits are kept, by whichever clock is later.
 */
export async function requireTime(
  deadline: bigint,
  { facts: { blockTimestamp }, database, lifetimeSeconds }: Clocks & { readonly lifetimeSeconds: number },
): Promise<void> {
  const now = await readServiceTime(database, deadline);
  const clocks = { chainTime: Number(blockTimestamp), serviceTime: Number(now) };
  const later = blockTimestamp > now ? blockTimestamp : now;
  if (deadline < later)
    throw new RefusedError('permit_expired', 'The deadline of the permit has passed.', {
      field: 'deadline',
      facts: { deadline: Number(deadline), ...clocks },
    });
  const latest = later + BigInt(lifetimeSeconds);
  if (deadline > latest)
    throw new RefusedError(
      'deadline_too_far',
      `The deadline of the permit is more than ${lifetimeSeconds} seconds in the future.`,
      {
        field: 'deadline',
        facts: { deadline: Number(deadline), latestDeadline: Number(latest), ...clocks },
      },
    );
}

/** Unix seconds by this machine's clock. */
export function currentSecond(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

/** Unix seconds by this machine's clock, or by the database's if the deadline has passed by this machine's. */
async function readServiceTime({ $client }: Database, deadline: bigint): Promise<bigint> {
  const now = currentSecond();
  if (deadline >= now) return now;
  const query = 'select floor(extract(epoch from now()))::text as seconds';
  const [row] = await runPrepared<{ seconds: string }>($client, query, []);
  return BigInt(row?.seconds ?? now);
}
