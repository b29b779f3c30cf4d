import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { createPublicClient, type Hex, http } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildBlockTrie } from '../../../src/api/evidence/blockTrie.ts';
import { BlockGoneError, type ProvedBlock, proveBlock } from '../../../src/api/evidence/proveBlock.ts';
import { ChainUnavailableError } from '../../../src/platform/errors/serviceError.ts';
import { createPace } from '../../../src/platform/turns/pace.ts';
import { parseReceipt, parseTransaction } from '../../../src/protocol/evidence/blockParts.ts';
import { checkBlocks, checkTransaction } from '../../../src/protocol/evidence/evidenceChain.ts';
import type { EvidenceFile } from '../../../src/protocol/evidence/evidenceFile.ts';
import { readEvidence } from '../../../src/protocol/evidence/readEvidence.ts';
import { buildOpStackBlock } from '../../evidence/handMade/opStackBlock.ts';
import { referenceProof, referenceRoot } from '../../evidence/handMade/referenceRoot.ts';
import { readLease } from '../../evidence/readFiles.ts';
import { type LocalServer, listenLocally } from '../../support/listenLocally.ts';

describe('the trie over a block', () => {
  const pause = async () => {};

  test('has the root and the proofs that a general library finds, whatever the items and however many', async () => {
    const item = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.uint8Array({ minLength: 100, maxLength: 300 }),
    );
    const items = fc.oneof(
      fc.array(item, { minLength: 1, maxLength: 40 }),
      fc.array(item, { minLength: 125, maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(items, fc.nat(), async (all, which) => {
        const index = which % all.length;
        const trie = await buildBlockTrie(all, pause);
        expect(trie.root).toBe(await referenceRoot(all));
        expect(trie.prove(index)).toEqual(await referenceProof(all, index));
      }),
      { numRuns: process.env.EVIDENCE_ALL ? 200 : 15 },
    );
  });
});

describe('a block of an OP-stack chain, made by hand', () => {
  let made: Awaited<ReturnType<typeof buildOpStackBlock>>;
  let node: LocalServer;
  beforeAll(async () => {
    made = await buildOpStackBlock();
    const call = z.object({ id: z.number(), method: z.string() });
    node = await listenLocally(
      createServer(async (request, response) => {
        const { id, method } = call.parse(JSON.parse(await text(request)));
        const result = method === 'eth_getBlockReceipts' ? made.receipts : made.block;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }),
    );
  });
  afterAll(() => node?.close());

  const hashes = () => made.block.transactions.map(({ hash }): Hex => hash);
  const prove = async (wanted = hashes()): Promise<ProvedBlock> => {
    const client = createPublicClient({ transport: http(node.url) });
    const { hash: blockHash, number } = made.block;
    return proveBlock(client, { blockHash, blockNumber: Number(number), wanted, pace: createPace() });
  };

  /** An evidence file that contains only this block. */
  const fileOf = ({ block, transactions }: ProvedBlock): EvidenceFile => {
    const lease = readEvidence(readLease());
    return {
      ...lease,
      chain: { ...lease.chain, chainId: made.chainId },
      blocks: [block],
      transactions: transactions.map((one) => ({ ...one, block: 0 })),
      state: null,
    };
  };

  test('is proved with its deposits, whose receipts hold nonce and version', async () => {
    const proved = await prove();
    expect(proved.transactions.map(({ raw }) => raw)).toEqual(made.raws);
    expect(proved.transactions.map(({ receipt }) => receipt)).toEqual(made.rawReceipts);
    const file = fileOf(proved);
    const headers = checkBlocks(file);
    const checked = [];
    for (const at of file.transactions.keys()) {
      // One transaction has failed; no evidence file would contain it.
      if (made.receipts[at]?.status === '0x1') checked.push(await checkTransaction(file, at, headers));
    }
    expect(checked).toHaveLength(5);
    expect(checked.every(({ isIncluded }) => isIncluded)).toBe(true);
    const [attributes, userDeposit, call] = checked;
    expect(attributes).toMatchObject({ from: undefined, depositor: made.block.transactions[0]?.from });
    expect(userDeposit?.depositor).toBe(made.block.transactions[1]?.from);
    expect(call?.from).toBe(made.block.transactions[2]?.from.toLowerCase());
  });

  test('is refused if a deposit’s receipt has lost its nonce, or a deposit is altered', async () => {
    const file = fileOf(await prove());
    const headers = checkBlocks(file);
    const [first] = file.transactions;
    if (!first) throw new Error('the block is empty');
    const { receipt } = first;
    const shortened: Hex = `0x${receipt.slice(2, -2)}80`;
    const cut = { ...first, receipt: shortened };
    const without = { ...file, transactions: [cut] };
    await expect(checkTransaction(without, 0, headers)).rejects.toMatchObject({
      reason: 'receipt_proof_invalid',
    });
    expect(parseTransaction(first.raw).signing).toBeUndefined();
    expect(parseReceipt(receipt).succeeded).toBe(true);
  });

  test('is refused if the requested transaction is of an unknown type, and has no proofs if another one is', async () => {
    const told = made.block;
    const [first, ...others] = told.transactions;
    if (!first) throw new Error('the block is empty');
    const strange = { ...first, type: '0x55' } as unknown as typeof first;
    made.block = { ...told, transactions: [strange, ...others] };
    try {
      await expect(prove()).rejects.toMatchObject({
        reason: 'not_provable',
        facts: { transactionHash: first.hash },
      });
      const { block, transactions } = await prove(hashes().slice(1));
      expect(block.header).toBeNull();
      expect(transactions.map(({ raw }) => raw)).toEqual(made.raws.slice(1));
    } finally {
      made.block = told;
    }
  });

  test("is missing if a node's answer is not a block", async () => {
    const told = made.block;
    made.block = { hash: told.hash, number: told.number } as unknown as typeof told;
    try {
      await expect(prove([told.hash])).rejects.toBeInstanceOf(ChainUnavailableError);
    } finally {
      made.block = told;
    }
  });

  test('is missing if the receipts are those of another block with its number', async () => {
    const told = made.receipts;
    const blockHash = `0x${'77'.repeat(32)}`;
    made.receipts = told.map((receipt) => ({ ...receipt, blockHash })) as unknown as typeof told;
    try {
      await expect(prove()).rejects.toBeInstanceOf(BlockGoneError);
    } finally {
      made.receipts = told;
    }
  });

  test("has no proofs if the node's answer contradicts the header", async () => {
    const [first, ...others] = made.receipts;
    if (!first) throw new Error('the block is empty');
    const told = made.receipts;
    made.receipts = [{ ...first, cumulativeGasUsed: '0x1' }, ...others] as unknown as typeof told;
    try {
      const { block, transactions } = await prove();
      expect(block.header).toBeNull();
      expect(transactions[0]).toMatchObject({ proof: null, receiptProof: null });
    } finally {
      made.receipts = told;
    }
  });
});
