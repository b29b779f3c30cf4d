import { z } from 'zod';
import type { RpcCall } from './batchedRpc.ts';

/** A block as reported by an endpoint; its time in Unix seconds. */
export type Head = {
  readonly number: number;
  readonly timestamp: bigint;
  readonly parentHash: string;
};

type Ask = (call: RpcCall) => Promise<unknown>;

const quantity = z.string().regex(/^0x[0-9a-f]{1,16}$/i);
const headShape = z.object({
  number: quantity.transform(Number),
  timestamp: quantity.transform(BigInt),
  parentHash: z.string(),
});

/** The newest block of an endpoint; undefined if the answer is not a block. Throws what `ask` throws. */
export async function readHead(ask: Ask): Promise<Head | undefined> {
  const said = await ask({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  return headShape.safeParse(said).data;
}

/** Whether the endpoint has the parent of its head. */
export async function isHeadProven(ask: Ask, { number, timestamp, parentHash }: Head): Promise<boolean> {
  if (number === 0) return true;
  const parent = headShape.safeParse(
    await ask({ method: 'eth_getBlockByHash', params: [parentHash, false] }),
  );
  return parent.success && parent.data.number === number - 1 && parent.data.timestamp <= timestamp;
}
