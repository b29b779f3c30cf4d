import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createPublicClient, encodeErrorResult, http, numberToHex } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { readPermitFacts } from '../../../src/platform/nodes/readPermitFacts.ts';
import { listenLocally } from '../../support/listenLocally.ts';

const contract = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const signer = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const call = { from: signer, to: contract, data: '0x12345678' } as const;
const invalidSignature = encodeErrorResult({ abi: agreementEngineAbi, errorName: 'InvalidSignature' });

/** A node whose chain makes a block after the nonce was read and before the call is run, so many times. */
async function startNode(blocksBetween: number) {
  let nonce = 0n;
  const answer = (method: string) => {
    if (method === 'eth_call') return { result: numberToHex(nonce, { size: 32 }) };
    if (method === 'eth_getBlockByNumber') return { result: { timestamp: numberToHex(100n + nonce) } };
    if (nonce >= BigInt(blocksBetween)) return { result: '0x5208' };
    nonce++;
    return { error: { code: 3, message: 'execution reverted', data: invalidSignature } };
  };
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer(method) }));
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return createPublicClient({ transport: http(url, { retryCount: 0 }) });
}

const query = { contract, signer, isAgreement: false, call } as const;

test('a signature that a new block makes look invalid is looked at again', async () => {
  const facts = await readPermitFacts(await startNode(1), query);
  expect(facts).toMatchObject({ nonce: 1n, simulation: { ok: true, gas: 21_000n } });
});

test('a signature that looks invalid twice is invalid', async () => {
  const facts = await readPermitFacts(await startNode(3), query);
  expect(facts.simulation).toMatchObject({ ok: false, data: invalidSignature });
});
