import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import { awaitReceipt } from '../contracts-test/awaitReceipt.ts';
import { signDeployPermit } from '../src/api/demo/permits.ts';
import { recordShape } from '../src/api/demo/served.ts';
import { createServiceClient } from '../src/api/demo/serviceClient.ts';
import type { DevStack } from '../src/api/dev/devStack.ts';
import { encodeInputPayload, nameHash } from '../src/protocol/index.ts';
import { type Distribution, summarise } from './distribution.ts';
import { pingPong } from './pingPong.ts';

const warmUpRounds = 5;
const pauseMs = 50;
const overdueMs = 15_000;
const subscriptionShape = z.object({ id: z.string() });
const eventShape = z.object({ data: z.object({ agreementId: z.string(), sequence: z.int() }) });

/**
 * How long after its sender has seen a transaction mined a receiver on this machine has the webhook of it, in milliseconds: on the
 * running stack, whose chains have one confirmation. Inputs are sent straight to the contract, one at a time.
 */
export async function measureWebhookLatency(options: {
  stack: DevStack;
  chainId: number;
  rounds: number;
}): Promise<Distribution> {
  const { stack, chainId, rounds } = options;
  const chain = stack.chains.find((candidate) => candidate.chainId === chainId);
  const [owner] = stack.accounts.slice(-2);
  if (!chain || !owner) throw new Error(`the stack has no chain ${chainId}`);
  const account = privateKeyToAccount(owner.privateKey);
  const transport = http(chain.rpcUrl);
  const client = createPublicClient({ transport, cacheTime: 0, pollingInterval: 1 });
  const wallet = createWalletClient({ account, transport });
  const service = createServiceClient(stack);

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
    const documentId = randomUUID();
    const docUri = `${stack.baseUrl}/v0/agreements/documents/${documentId}`;
    const request = { agreement: pingPong, chainId, docUri, documentId, displayName: 'Webhook benchmark' };
    const permit = await signDeployPermit({ ...request, ...chain, client, values: {}, account });
    const record = await service.post(
      '/agreements/deploy-with-permit',
      { ...request, ...permit },
      recordShape,
    );
    const { address } = record;
    if (!address) throw new Error(`${record.id} is still a Draft`);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const filters = { agreementIds: [record.id] };
    const { id } = await service.post('/webhooks', { url, filters }, subscriptionShape);

    const measured: number[] = [];
    for (let round = 1; round <= warmUpRounds + rounds; round++) {
      const hash = await wallet.writeContract({
        address,
        abi: agreementEngineAbi,
        functionName: 'submitInput',
        args: [nameHash('hit'), encodeInputPayload(pingPong, 'hit', { note: `round ${round}` })],
        chain: null,
      });
      await awaitReceipt(client, hash);
      const minedAt = performance.now();
      const arrivedAt = await awaitArrival(arrivals, round, minedAt);
      if (round > warmUpRounds) measured.push(arrivedAt - minedAt);
      await delay(pauseMs);
    }
    await fetch(`${stack.baseUrl}/v0/webhooks/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': stack.apiKey },
    });
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
