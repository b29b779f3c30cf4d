import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createBatchedRpc } from '../../../src/platform/nodes/batchedRpc.ts';
import { createCheckedRpc } from '../../../src/platform/nodes/checkedRpc.ts';
import { createEndpointHealth } from '../../../src/platform/nodes/endpointHealth.ts';
import {
  access,
  answering,
  connect,
  healthy,
  own,
  patientMs,
  refusing,
  startEndpoint,
} from './support/scriptedNodes.ts';

describe('a node of another chain', () => {
  const other = { result: '0x1' };

  test('answers no call: the next endpoint does, and makes nobody late', async () => {
    const wrong = await startEndpoint(answering({ result: '0x63' }, () => other));
    const right = await startEndpoint(healthy);
    const { client, describeEndpoints } = access([wrong.url, right.url]);
    expect(await Promise.all([client.getBlockNumber(), client.getGasPrice()])).toEqual([7n, 7n]);
    expect(await client.getBlockNumber()).toBe(7n);
    expect(wrong.count()).toBe(1);
    expect(describeEndpoints()).toMatchObject([{ status: 'otherChain' }, { status: 'ok' }]);
  });

  test('says nothing about a transaction, not even that its nonce is used', async () => {
    const refusal = { error: { code: -32_000, message: 'nonce too low' } };
    const wrong = await startEndpoint(answering(refusal, () => other));
    const { client } = access([wrong.url]);
    const sending = client.request({ method: 'eth_sendRawTransaction', params: ['0x02'] });
    await expect(sending).rejects.toThrow('belongs to chain 1, not to chain 59141');
  });

  test('is used from when it belongs to the chain', async () => {
    let chain = other;
    const only = await startEndpoint(answering({ result: '0x7' }, () => chain));
    const { client, describeEndpoints } = access([only.url]);
    await expect(client.getBlockNumber()).rejects.toThrow('belongs to chain 1');
    chain = own;
    expect(await client.getBlockNumber()).toBe(7n);
    expect(describeEndpoints()).toMatchObject([{ status: 'ok' }]);
  });

  test('is reported once for each chain that it belongs to', async () => {
    let chain: object = other;
    const only = await startEndpoint(answering({ result: '0x63' }, () => chain));
    const lines: unknown[] = [];
    const logger = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) });
    const { client } = access([only.url], { logger });
    for (const [answered, named] of [
      [other, '1'],
      [other, '1'],
      [{ error: { code: -32_000, message: 'busy' } }, '1'],
      [{ result: '0xa' }, '10'],
    ] as const) {
      chain = answered;
      await expect(client.getBlockNumber()).rejects.toThrow(`belongs to chain ${named},`);
    }
    const { host } = new URL(only.url);
    const msg = 'a node belongs to another chain and is not used';
    expect(lines).toMatchObject(
      [1, 10].map((answered) => ({ level: 50, chainId: 59141, host, answered, msg })),
    );
  });

  test('is not believed because it does not repeat its chain', async () => {
    let chain: object = other;
    const only = await startEndpoint(answering({ result: '0x63' }, () => chain));
    const { client } = access([only.url]);
    await expect(client.getBlockNumber()).rejects.toThrow('belongs to chain 1');
    chain = { error: { code: -32_000, message: 'busy' } };
    await expect(client.getBlockNumber()).rejects.toThrow('belongs to chain 1');
  });

  test('is noticed if it takes the place of a node that was away', async () => {
    let [chain, isAway] = [own, false];
    const node = answering({ result: '0x7' }, () => chain);
    const only = await startEndpoint((request, response) =>
      (isAway ? refusing(503) : node)(request, response),
    );
    const { client } = access([only.url]);
    expect(await client.getBlockNumber()).toBe(7n);
    isAway = true;
    await expect(client.getBlockNumber()).rejects.toThrow();
    [chain, isAway] = [other, false];
    await expect(client.getBlockNumber()).rejects.toThrow('belongs to chain 1');
  });

  test('is noticed within half a minute if it takes the place of a node that was never away', async () => {
    let [chain, nowMs] = [own, 0];
    const { url } = await startEndpoint(answering({ result: '0x7' }, () => chain));
    const health = createEndpointHealth();
    const ask = createCheckedRpc({
      ...{ chainId: 59141, host: 'node', health, clock: () => nowMs },
      ask: createBatchedRpc({ url, timeoutMs: patientMs, health }),
    });
    const read = () => ask({ method: 'eth_blockNumber' });
    expect(await read()).toBe('0x7');
    chain = other;
    nowMs = 31_000;
    await expect(read()).rejects.toThrow('belongs to chain 1');
    chain = own;
    expect(await read()).toBe('0x7');
  });

  test('is asked for seldom', async () => {
    let asked = 0;
    const only = await startEndpoint(
      answering({ result: '0x7' }, () => {
        asked++;
        return own;
      }),
    );
    const client = connect(only.url);
    for (let at = 0; at < 5; at++) await client.getBlockNumber();
    expect(asked).toBe(1);
  });

  test.each([
    ['does not offer the question', { error: { code: -32_601, message: 'unknown method' } }],
    ['answers it with something else', { result: 'Linea' }],
  ])('is not seen in a node that %s', async (_, chain) => {
    const only = await startEndpoint(answering({ result: '0x7' }, () => chain));
    expect(await connect(only.url).getBlockNumber()).toBe(7n);
  });
});
