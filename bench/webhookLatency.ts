import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DevStack } from '../src/cli/dev/devStack.ts';
import { createSingleCallClient } from '../test/support/singleCalls.ts';
import { type Distribution, summarise } from './distribution.ts';
import { deployPingAgreement } from './pingAgreement.ts';

const warmUpRounds = 5;
const pauseMs = 50;
const overdueMs = 15_000;
const eventShape = z.object({ data: z.object({ agreementId: z.string(), sequence: z.int() }) });

/**
 * Milliseconds from a transaction's receipt at its sender to its webhook at a receiver on this machine, on
 * the running stack, whose chains have one confirmation. Inputs are sent directly to the contract, one at a
 * time.
 */
export async function measureWebhookLatency(options: {
  stack: DevStack;
  chainId: number;
  rounds: number;
}): Promise<Distribution> {
  const { stack, chainId, rounds } = options;
  const client = createSingleCallClient(stack);
  const arrivals = new Map<number, number>();
  const server = createServer(async (request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    const event = eventShape.parse(JSON.parse(Buffer.concat(chunks).toString()));
    arrivals.set(event.data.sequence, at);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const displayName = 'Webhook benchmark';
    const agreement = await deployPingAgreement({ stack, client, chainId, displayName, accountFromEnd: 2 });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const filters = { agreementIds: [agreement.id] };
    const { id } = await client.webhooks.create({ url, filters });

    const measured: number[] = [];
    for (let round = 1; round <= warmUpRounds + rounds; round++) {
      await agreement.hit(`round ${round}`);
      const minedAt = performance.now();
      const arrivedAt = await awaitArrival(arrivals, round, minedAt);
      if (round > warmUpRounds) measured.push(arrivedAt - minedAt);
      await delay(pauseMs);
    }
    await client.webhooks.disable(id);
    return summarise(measured);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function awaitArrival(arrivals: Map<number, number>, sequence: number, since: number): Promise<number> {
  for (;;) {
    const arrivedAt = arrivals.get(sequence);
    if (arrivedAt !== undefined) return arrivedAt;
    if (performance.now() - since > overdueMs) throw new Error(`no webhook came within ${overdueMs} ms`);
    await delay(1);
  }
}
