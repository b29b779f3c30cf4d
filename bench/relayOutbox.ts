import { setTimeout as delay } from 'node:timers/promises';
import { keccak256 } from 'viem';
import { channels } from '../src/platform/database/channels.ts';
import { inputContentHash } from '../src/platform/database/contentHash.ts';
import { encodeInputPayload, nameHash } from '../src/protocol/index.ts';
import type { ServiceStack } from '../test/support/serviceStack.ts';
import { waitUntil } from '../test/support/waitUntil.ts';
import { pingPong } from './pingPong.ts';
import type { SignedInput } from './relayCalls.ts';
import { measureThroughput, type Running, type Throughput } from './relayThroughput.ts';

const storedAtOnce = 500;
const lookEveryMs = 400;

/** Stores rows like the API, always some more than the relay has under way. */
export async function measureOutbox(
  running: Running,
  calls: readonly SignedInput[],
  { seconds, mostUnderWay }: { seconds: number; mostUnderWay: number },
): Promise<Throughput> {
  const { stack } = running;
  // In the order of the index on these rows, so that the query reads only these rows.
  const query = `select 1 from service.transactions where chain_id = $1 and state = 'accepted'
    order by created_at, id offset $2 limit 1`;
  const backlog = Math.max(2 * mostUnderWay, storedAtOnce);
  return measureThroughput(running, { seconds, total: calls.length }, async (isOver) => {
    for (let at = 0; at < calls.length && !isOver(); at += storedAtOnce) {
      await waitUntil(
        'there is room',
        async () => {
          if (isOver()) return true;
          const { rowCount } = await stack.pool.query(query, [stack.chainId, backlog]);
          if (rowCount === 0) return true;
          // The database's work for this query is part of the measurement.
          await delay(lookEveryMs);
          return false;
        },
        2 * seconds * 1_000,
      );
      await storeRows(stack, calls.slice(at, at + storedAtOnce));
    }
  });
}

let stored = 0;

async function storeRows({ pool, chainId }: ServiceStack, calls: readonly SignedInput[]): Promise<void> {
  const payload = encodeInputPayload(pingPong, 'hit', { note: 'benchmark' });
  const contentHash = inputContentHash({ inputId: nameHash('hit'), payload });
  const ids = calls.map(() => `txn_bench${stored++}`);
  await pool.query(
    `with stored as (
       insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash,
         deadline, call_data, gas_estimate)
       select id, $1, 'input', contract, signer, 0, digest, $2, deadline, data, 150000
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::text[])
         as row(id, contract, signer, digest, deadline, data))
     select pg_notify($9, $1::text)`,
    [
      chainId,
      contentHash,
      ids,
      calls.map(({ to }) => to),
      calls.map(({ body }) => Reflect.get(body, 'signer')),
      calls.map(({ data }) => keccak256(data)),
      calls.map(({ body }) => Reflect.get(body, 'deadline')),
      calls.map(({ data }) => data),
      channels.outbox,
    ],
  );
}
