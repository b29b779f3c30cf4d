import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { pingPong } from '../../../bench/pingPong.ts';
import { signInputPermit } from '../../support/permits.ts';
import { startReceiver } from '../../support/receiver.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { startControl } from './startControl.ts';
import { deployAs } from './worstWorld.ts';

/** The milliseconds that a principal's requests took, and the failures. */
export type Times = {
  reads: number[];
  writes: number[];
  webhooks: number[];
  /** The times of a server that has nothing to do with the service. */
  control: number[];
  failures: string[];
};

export type Neighbour = Awaited<ReturnType<typeof createNeighbour>>;

const readPauseMs = 25;
const writePauseMs = 150;

/** A principal who reads, writes and receives webhooks as usual. The caller closes it. */
export async function createNeighbour(stack: ServiceStack, access: { baseUrl: string; apiKey: string }) {
  const { baseUrl, apiKey } = access;
  const client = createSingleCallClient(access);
  const account = privateKeyToAccount(generatePrivateKey());
  const agreement = pingPong;
  const { id, address } = await deployAs(stack, { client, baseUrl, account, agreement });
  const receiver = await startReceiver();
  const control = await startControl();
  await client.webhooks.create({ url: receiver.url });
  const paths = [
    `/agreements/${id}`,
    `/agreements/${id}/state`,
    `/agreements/${id}/inputs?limit=5`,
    '/agreements?limit=5',
    '/events?limit=5',
  ];

  const time = async (url: string, headers: Record<string, string>) => {
    const startedAt = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return { status: response.status, ms: performance.now() - startedAt };
  };
  const read = async (path: string, times: Times) => {
    const { status, ms } = await time(`${baseUrl}/v0${path}`, { 'x-api-key': apiKey });
    if (status === 200) times.reads.push(ms);
    else times.failures.push(`GET ${path}: ${status}`);
    times.control.push((await time(control.url, {})).ms);
  };
  const write = async (times: Times) => {
    const values = { note: randomUUID() };
    const signing = { client: stack.reader, chainId: stack.chainId, agreementAddress: address };
    const permit = await signInputPermit({ ...signing, agreement, inputId: 'hit', values, account });
    const told = receiver.received.length;
    const startedAt = performance.now();
    await client.agreements.submitInput(id, { inputId: 'hit', values, ...permit });
    times.writes.push(performance.now() - startedAt);
    await waitUntil('the webhook', () => receiver.received.length > told);
    times.webhooks.push(performance.now() - startedAt);
  };

  return {
    /** Reads and writes for this long. */
    async live(ms: number): Promise<Times> {
      const times: Times = { reads: [], writes: [], webhooks: [], control: [], failures: [] };
      const endsAt = performance.now() + ms;
      const note = (error: unknown) => void times.failures.push(String(error));
      const reading = async () => {
        for (let at = 0; performance.now() < endsAt; at++) {
          await read(paths[at % paths.length] ?? '', times).catch(note);
          await delay(readPauseMs);
        }
      };
      const writing = async () => {
        while (performance.now() < endsAt) {
          await write(times).catch(note);
          await delay(writePauseMs);
        }
      };
      await Promise.all([reading(), writing()]);
      return times;
    },
    async close() {
      await receiver.close();
      await control.close();
    },
  };
}
