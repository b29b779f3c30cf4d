import { expect, test } from 'vitest';
import { deployAgreements, signInputs } from '../../bench/relayCalls.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createDisturbedNode } from '../support/relayNode.ts';
import { createServiceStack } from '../support/serviceStack.ts';
import { createSingleCallClient } from '../support/singleCalls.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { withClosings } from '../support/withClosings.ts';

const permits = 20;

test('twenty permits in a row of one signer are taken without a node, and mined in order in at most two blocks', () =>
  withClosings(async (onClose) => {
    const database = await createTestDatabase();
    onClose(database.drop);
    // The test makes the blocks itself, which takes long on a busy machine.
    const env = { ADMISSION_MAX_LAG_SECONDS: '86400', SIGNING_WAIT_MS: '120000' };
    const stack = await createServiceStack({ databaseUrl: database.url, wallets: 2, env });
    onClose(stack.close);
    const asked: string[] = [];
    const node = await createDisturbedNode(stack.rpcUrl, ({ method }) => {
      // Every process polls each endpoint for its newest block, and each half minute for its chain, outside any request.
      if (!['eth_getBlockByNumber', 'eth_chainId'].includes(method)) asked.push(method);
      return undefined;
    });
    onClose(node.close);
    const port = String(await findFreePort());
    for (const kind of ['indexer', 'worker', 'api'] as const) {
      const way = kind === 'api' ? { [`RPC_URL_${stack.chainId}`]: node.url } : {};
      const child = stack.start(kind, { env: { PORT: port, ...way }, onLine: () => {} });
      onClose(() => child.stop());
    }
    await stack.awaitReady();
    const client = createSingleCallClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: stack.apiKey });
    const deployed = await deployAgreements(stack, { client, count: 1 });
    await stack.awaitFolded();
    const calls = await signInputs(deployed, { chainId: stack.chainId, count: permits, nonces: permits });
    expect(new Set(calls.map(({ body }) => body.signer)).size).toBe(1);

    await stack.client.setAutomine(false);
    asked.length = 0;
    const inputs = [];
    for (const { recordId, body } of calls) inputs.push(await client.agreements.submitInput(recordId, body));
    expect(asked).toEqual([]);
    const isThere = async () => (await stack.client.getTxpoolStatus()).pending === permits;
    await waitUntil('the node has all of them', isThere);
    await stack.client.mine({ blocks: 1 });
    await stack.awaitFolded();
    const query = `select tx_hash, block_number, position from service.inputs where record_id = $1 order by position`;
    const { rows } = await stack.pool.query(query, [deployed[0]?.id]);
    expect(rows.map((row) => row.tx_hash)).toEqual(inputs.map(({ txHash }) => txHash));
    expect(new Set(rows.map((row) => row.block_number)).size).toBeLessThanOrEqual(2);
  }));
