import { encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { ChainUnavailableError } from '../../../src/platform/errors/serviceError.ts';
import { simulateCall } from '../../../src/platform/nodes/simulateCall.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import {
  access,
  answering,
  connect,
  healthy,
  patientMs,
  refusing,
  silent,
  standing,
  startEndpoint,
} from './support/scriptedNodes.ts';

describe('a chain is reached', () => {
  test.each([
    ['refuses connections', undefined],
    ['fails', refusing(500)],
    ['limits its callers', refusing(429, { 'retry-after': '3600' })],
    ['limits its callers in an answer', answering({ error: { code: -32_005, message: 'limit exceeded' } })],
    ['does not answer in time', silent],
  ])('over the next endpoint where the first %s', async (_, listener) => {
    const first = listener ? (await startEndpoint(listener)).url : 'http://127.0.0.1:9';
    const second = await startEndpoint(healthy);
    const rpcTimeoutMs = listener === silent ? 1_000 : patientMs;
    expect(await access([first, second.url], { rpcTimeoutMs }).client.getBlockNumber()).toBe(7n);
    expect(second.count()).toBe(1);
  });

  test('after the pause that a limited endpoint asks for, where that is short', async () => {
    let isBusy = true;
    const endpoint = await startEndpoint((request, response) => {
      if (isBusy) refusing(429, { 'retry-after': '1' })(request, response);
      else healthy(request, response);
      isBusy = false;
    });
    const askedAt = performance.now();
    expect(await connect(endpoint.url).getBlockNumber()).toBe(7n);
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(950);
    expect(endpoint.count()).toBe(2);
  });

  test('with one request for the calls of one moment', async () => {
    const endpoint = await startEndpoint(healthy);
    const client = connect(endpoint.url);
    expect(await Promise.all([client.getBlockNumber(), client.getGasPrice()])).toEqual([7n, 7n]);
    expect(endpoint.count()).toBe(1);
  });
});

test('a call that waits for an endpoint to rest says when to come back', async () => {
  const { url } = await startEndpoint(refusing(429, { 'retry-after': '60' }));
  const simulation = simulateCall(connect(url), {
    from: undefined,
    to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    data: '0x',
  });
  const error = await simulation.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ChainUnavailableError);
  expect(error.retryAfterSeconds).toBeGreaterThan(50);
});

describe('a simulation', () => {
  const call = { from: undefined, to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', data: '0x' } as const;

  test('asks no other endpoint once one has said that the call reverts', async () => {
    const first = await startEndpoint(
      answering({ error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' } }),
    );
    const second = await startEndpoint(healthy);
    const simulation = await simulateCall(connect(first.url, second.url), call);
    expect(simulation).toMatchObject({ ok: false, data: '0x08c379a0' });
    expect(second.count()).toBe(0);
  });

  test.each([
    ['all endpoints are gone', refusing(503)],
    ['the node lacks the block', answering({ error: { code: -32_000, message: 'header not found' } })],
    [
      'the node lacks the block and sends data',
      answering({ error: { code: -32_014, message: 'Block not found', data: { block: '0x7' } } }),
    ],
    ['the node is broken', answering({ error: { code: -32_603, message: 'internal error' } })],
    ['the node gives up', answering({ error: { code: -32_603, message: 'execution aborted: too slow' } })],
  ])('is no judgement of the call where %s', async (_, listener) => {
    const { url } = await startEndpoint(listener);
    await expect(simulateCall(connect(url), call)).rejects.toThrow(ChainUnavailableError);
  });
});

describe('an endpoint', () => {
  test.each(['5', '60'])(
    'that asks for %s s is not asked again before, and callers are told at once',
    async (pause) => {
      const endpoint = await startEndpoint(refusing(429, { 'retry-after': pause }));
      const { client, describeEndpoints } = access([endpoint.url]);
      await expect(client.getBlockNumber()).rejects.toThrow('are rate limited');
      await expect(client.getBlockNumber()).rejects.toThrow('are rate limited');
      expect(endpoint.count()).toBe(1);
      const [facts] = describeEndpoints();
      expect(facts).toMatchObject({ status: 'limited', requests: { answered: 0, failed: 0, limited: 1 } });
      expect(facts?.restsForMs).toBeGreaterThan((Number(pause) - 5) * 1_000);
    },
  );

  test('that tells of its limit in an answer rests, but not if its limit is one of logs', async () => {
    const limit = answering({ error: { code: -32_005, message: 'more than 10000 results' } });
    const [first, second] = [await startEndpoint(limit), await startEndpoint(healthy)];
    const { client, describeEndpoints } = access([first.url, second.url]);
    const statuses = () => describeEndpoints().map(({ status }) => status);
    await client.request({ method: 'eth_getLogs', params: [{}] });
    expect(statuses()).toEqual(['ok', 'ok']);
    await client.getBlockNumber();
    expect(statuses()).toEqual(['limited', 'ok']);
    await client.getBlockNumber();
    expect([first.count(), second.count()]).toEqual([2, 3]);
  });

  test('that fails again and again rests while others are there, and is found when it is back', async () => {
    let isBroken = true;
    const held: (() => void)[] = [];
    const first = await startEndpoint((request, response) => {
      if (isBroken) refusing(502)(request, response);
      else held.push(() => healthy(request, response));
    });
    const second = await startEndpoint(healthy);
    const { client, describeEndpoints } = access([first.url, second.url]);
    for (let at = 0; at < 6; at++) expect(await client.getBlockNumber()).toBe(7n);
    expect([first.count(), second.count()]).toEqual([3, 6]);
    expect(describeEndpoints().map(({ status }) => status)).toEqual(['failing', 'ok']);
    isBroken = false;
    await waitUntil('the first one is tried', async () => {
      expect(await client.getBlockNumber()).toBe(7n);
      return held.length > 0;
    });
    for (let at = 0; at < 3; at++) expect(await client.getBlockNumber()).toBe(7n);
    expect(held).toHaveLength(1);
    held[0]?.();
    await waitUntil('it is back', () => describeEndpoints()[0]?.status === 'ok');
    const before = second.count();
    const asked = client.getBlockNumber();
    await waitUntil('it is asked again', () => held.length === 2);
    held[1]?.();
    expect(await asked).toBe(7n);
    expect(second.count()).toBe(before);
  });

  test('that fails is asked all the same where no other is better', async () => {
    let isBroken = true;
    const only = await startEndpoint((request, response) =>
      isBroken ? refusing(502)(request, response) : healthy(request, response),
    );
    const client = connect(only.url);
    for (let at = 0; at < 3; at++) await expect(client.getBlockNumber()).rejects.toThrow();
    isBroken = false;
    expect(await client.getBlockNumber()).toBe(7n);
  });

  test('whose budget is used up leaves the rest to the next one', async () => {
    const first = await startEndpoint(healthy);
    const second = await startEndpoint(healthy);
    const { client } = access([first.url, second.url], { rpcRequestsPerSecond: 2 });
    await Promise.all(
      Array.from({ length: 4 }, () => client.request({ method: 'eth_blockNumber' }, { dedupe: false })),
    );
    expect([first.count(), second.count()].every((count) => count >= 1)).toBe(true);
  });

  test('whose budget is used up is waited for where there is no other', async () => {
    const only = await startEndpoint(healthy);
    const { client, describeEndpoints } = access([only.url], { rpcRequestsPerSecond: 10 });
    for (let at = 0; at < 14; at++) expect(await client.getBlockNumber()).toBe(7n);
    expect(describeEndpoints()[0]?.requests).toEqual({ answered: 14, failed: 0, limited: 0 });
  });

  test('that lags is asked after the others within two looks, is named, and comes first again when it has caught up', async () => {
    const heights = [100, 100];
    const [first, second] = [
      await startEndpoint(standing(() => heights[0] ?? 0)),
      await startEndpoint(standing(() => heights[1] ?? 0)),
    ];
    const { client, describeEndpoints, latestBlock, watchHeights } = access([first.url, second.url]);
    const watch = watchHeights(50);
    try {
      await waitUntil('both have told', () =>
        describeEndpoints().every(({ blockNumber }) => blockNumber === 100),
      );
      heights[1] = 110;
      await waitUntil('the second has told', () => latestBlock(59141) === 110);
      const looks = first.count();
      await waitUntil('the first one lags', () => describeEndpoints()[0]?.status === 'lagging');
      expect(first.count() - looks).toBeLessThanOrEqual(3);
      expect(describeEndpoints()).toMatchObject([
        { status: 'lagging', blockNumber: 100, behindBlocks: 10 },
        { status: 'ok', blockNumber: 110, behindBlocks: 0 },
      ]);
      expect(await client.getBlockNumber()).toBe(110n);
      heights[0] = 110;
      await waitUntil('it has caught up', () => describeEndpoints()[0]?.status === 'ok');
    } finally {
      watch.close();
    }
    const before = second.count();
    expect(await client.getBlockNumber()).toBe(110n);
    expect(second.count()).toBe(before);
  });

  test('that claims a head whose block it does not have makes no other one late, and is asked after the others', async () => {
    let isLying = true;
    const liar = await startEndpoint(
      standing(
        () => 100,
        () => (isLying ? 1_000_100 : 100),
      ),
    );
    const honest = await startEndpoint(standing(() => 100));
    const { client, describeEndpoints, latestBlock, watchHeights } = access([liar.url, honest.url]);
    const watch = watchHeights(50);
    try {
      await waitUntil('it has been looked at often', () => liar.count() > 10 && honest.count() > 5);
      expect(describeEndpoints()).toMatchObject([
        { status: 'lagging', blockNumber: null, behindBlocks: 0 },
        { status: 'ok', blockNumber: 100, behindBlocks: 0 },
      ]);
      expect(latestBlock(59141)).toBe(100);
      expect(await client.getBlockNumber()).toBe(100n);
      isLying = false;
      await waitUntil('it is believed again', () => describeEndpoints()[0]?.status === 'ok');
    } finally {
      watch.close();
    }
  });

  test('that fails tells no latest block any more', async () => {
    let isBroken = false;
    const node = standing(() => 100);
    const { url } = await startEndpoint((request, response) =>
      (isBroken ? refusing(502) : node)(request, response),
    );
    const { latestBlock, watchHeights } = access([url]);
    const watch = watchHeights(20);
    try {
      await waitUntil('it has told', () => latestBlock(59141) === 100);
      isBroken = true;
      await waitUntil('it fails', () => latestBlock(59141) === undefined);
    } finally {
      watch.close();
    }
  });

  test('is known by its host alone, and two of one host by a number', async () => {
    const { describeEndpoints } = access([
      'https://user:word@node.example:8545/v2/secret?key=1',
      'https://node.example:8545/v3',
    ]);
    expect(describeEndpoints().map(({ host }) => host)).toEqual(['node.example:8545', 'node.example:8545#2']);
  });
});

test('a revert that asks for an off-chain look-up (EIP-3668) has nobody but nodes asked', async () => {
  const named = await startEndpoint(refusing(500));
  const contract = '0x00000000000000000000000000000000000000c0';
  const data = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
    args: [contract, [named.url], '0x', '0x12345678', '0x'],
  });
  const node = await startEndpoint(answering({ error: { code: 3, message: 'execution reverted', data } }));
  const abi = parseAbi(['function nonces(address) view returns (uint256)']);
  const reading = { address: contract, abi, functionName: 'nonces', args: [contract] } as const;
  await expect(connect(node.url).readContract(reading)).rejects.toThrow('reverted');
  expect(named.count()).toBe(0);
});

describe("a transaction's bytes", () => {
  const send = (...urls: [string, ...string[]]) =>
    connect(...urls).request({ method: 'eth_sendRawTransaction', params: ['0x02'] });
  const objecting = (message: string) => answering({ error: { code: -32_000, message } });

  test.each([
    'nonce too low',
    'replacement transaction underpriced',
    'insufficient funds for gas * price + value',
  ])('that one endpoint refuses with "%s" are taken where another takes them', async (message) => {
    const first = await startEndpoint(objecting(message));
    const second = await startEndpoint(answering({ result: '0xabc' }));
    expect(await send(first.url, second.url)).toBe('0xabc');
  });

  test('that all refuse are refused with what the preferred endpoint says', async () => {
    const first = await startEndpoint(objecting('nonce too low'));
    const second = await startEndpoint(objecting('insufficient funds'));
    const third = await startEndpoint(refusing(503));
    await expect(send(third.url, first.url, second.url)).rejects.toThrow('nonce too low');
    expect([first.count(), second.count()]).toEqual([1, 1]);
  });

  test('that a node knows already are shown to no other', async () => {
    const first = await startEndpoint(objecting('already known'));
    const second = await startEndpoint(answering({ result: '0xabc' }));
    await expect(send(first.url, second.url)).rejects.toThrow('already known');
    expect(second.count()).toBe(0);
  });
});
