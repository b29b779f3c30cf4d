import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { proveBlock } from '../../src/api/evidence/proveBlock.ts';
import { type Anvil, startAnvil } from '../../src/cli/devtools/anvil.ts';
import { createChainAccess } from '../../src/platform/nodes/clients.ts';
import { createPace } from '../../src/platform/turns/pace.ts';
import { createAnvilClient } from '../support/anvilClient.ts';

const chainId = 84_532;
let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil({ chainId });
});
afterAll(() => anvil.stop());

/** Emits 30,000 empty logs: its receipt alone exceeds the limit on answers. */
const manyLogs = '0x620075305b5f5fa0600190038060045700';
const address = '0x00000000000000000000000000000000b0b0b0b0';

test("a stranger's long transaction in a block costs it its proofs, not its evidence", async () => {
  const client = createAnvilClient(anvil.rpcUrl);
  await client.setCode({ address, bytecode: manyLogs });
  await client.setAutomine(false);
  const [account = '0x'] = await client.getAddresses();
  const send = (to: typeof address | typeof account, gas: bigint) =>
    client.sendTransaction({ account, chain: null, to, data: '0x', gas });
  await send(address, 25_000_000n);
  const hash = await send(account, 30_000n);
  await client.mine({ blocks: 1 });
  const { blockHash, blockNumber, transactionIndex } = await awaitReceipt(client, hash);
  expect(transactionIndex).toBe(1);
  const access = createChainAccess([{ chainId, name: 'test', rpcUrls: [anvil.rpcUrl] }], {
    rpcTimeoutMs: 10_000,
  });
  const own = access.clients.get(chainId);
  if (!own) throw new Error('the chain has no client');
  const place = { blockHash, blockNumber: Number(blockNumber), wanted: [hash], pace: createPace() };
  const { block, transactions } = await proveBlock(own, place);
  expect(block).toMatchObject({ hash: blockHash, number: Number(blockNumber), header: null });
  expect(transactions).toEqual([
    {
      index: 1,
      hash,
      raw: expect.stringMatching(/^0x02[0-9a-f]{100,}$/),
      proof: null,
      receipt: expect.stringMatching(/^0x02[0-9a-f]{100,}$/),
      receiptProof: null,
    },
  ]);
  // The endpoint is as sound as before.
  expect(access.describe()).toMatchObject([{ status: 'ok', failuresInARow: 0 }]);
});
