import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { concat, encodeFunctionData, type Hex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testTokenAbi } from '../../contracts-test/abis/TestToken.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { createRelayWorld, type RelayWorld } from '../support/relayWorld.ts';

/** Of geth and Besu, for the body of one request. */
const mostBytes = 5 * 1024 * 1024;
/** The service allows an input of so many bytes. */
const largeInput: Hex = `0x${'00'.repeat(262_144)}`;

let world: RelayWorld;
beforeAll(async () => {
  world = await createRelayWorld({ anvilArguments: ['--gas-limit', '2000000000'] });
});
afterEach(() => world.reset());
afterAll(() => world.close());

/** A node that refuses larger requests. Anvil itself reads less at once, so it gets each call alone. */
async function startNode() {
  let refused = 0;
  const headers = { 'content-type': 'application/json' };
  const pass = async (call: unknown) => {
    const answer = await fetch(world.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) });
    return answer.text();
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (body.length > mostBytes) {
      refused++;
      response.writeHead(413).end(`content length too large (${body.length}>${mostBytes})`);
      return;
    }
    const calls: unknown[] = JSON.parse(body);
    const answers = await Promise.all(calls.map(pass));
    response.writeHead(200, headers).end(`[${answers.join(',')}]`);
  });
  const { url, close } = await listenLocally(server);
  return { url, close, refused: () => refused };
}

test('many large rows of one principal keep no row of another from a node that reads 5 MB at once', async () => {
  const { key } = await world.createWallet();
  const node = await startNode();
  try {
    const to = '0x1111111111111111111111111111111111111111';
    const mint = encodeFunctionData({ abi: testTokenAbi, functionName: 'mint', args: [to, 1n] });
    // All are waiting as the relay starts, as after any pause.
    await world.accept(11, { data: concat([mint, largeInput]), gasEstimate: 5_000_000n });
    const other = await world.acceptOne();
    await world.startRelay({ keys: [key], rpcUrls: [node.url], settings: { replaceAfterMs: 500 } });
    world.startIndexing();
    await world.waitForMints([other.recipient]);
    expect(node.refused()).toBe(0);
  } finally {
    await node.close();
  }
});
