import { type Hex, numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { chainUnavailable } from '../../platform/nodes/unavailable.ts';
import type { Pace } from '../../platform/turns/pace.ts';
import type { EvidenceBlock, EvidenceTransaction } from '../../protocol/evidence/evidenceFile.ts';
import { bytesToHex } from '../../protocol/hex.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import { type BlockTrie, buildBlockTrie } from './blockTrie.ts';
import { encodeHeader, encodeReceipt, encodeTransaction, UnknownKindError } from './encodeChain.ts';
import { type NodeBlock, nodeBlockShape, nodeReceiptShape, nodeTransactionShape } from './nodeShapes.ts';

/** The block is not there, or not whole: a reorg has removed it, or the node has not got it yet. */
export class BlockGoneError extends Error {
  override readonly name = 'BlockGoneError';
}

/** A block's own facts and, for the transactions asked for, what a file holds of them. */
export type ProvedBlock = {
  readonly block: EvidenceBlock;
  readonly transactions: readonly Omit<EvidenceTransaction, 'block'>[];
};

const blockWithTransactions = nodeBlockShape.extend({ transactions: z.array(z.unknown()) });
const hashed = z.object({ hash: z.templateLiteral(['0x', z.string()]) });
const receiptsOfBlock = z.array(z.looseObject({ blockHash: z.string() })).nullable();

/**
 * Fetches a block with its receipts, and proves transactions of it against its header. Where the header or a root cannot be recomputed
 * from what the node says, as with chains that hash something else, the transactions come without proofs.
 *
 * @throws BlockGoneError where the node has no such block.
 * @throws ChainUnavailableError where no endpoint answers.
 */
export async function proveBlock(
  client: PublicClient,
  { blockHash, wanted, pace }: { blockHash: Hex; wanted: readonly Hex[]; pace: Pace },
): Promise<ProvedBlock> {
  const ask = (method: string, params: unknown[]) => askNode(client, method, params);
  const said = await ask('eth_getBlockByHash', [blockHash, true]);
  if (said === null) throw new BlockGoneError();
  const block = blockWithTransactions.parse(said);
  const saidReceipts = await readReceipts(client, block, blockHash);
  await pace.breathe();
  const transactions: Uint8Array[] = [];
  const receipts: Uint8Array[] = [];
  const hashes: Hex[] = [];
  let isProvable = true;
  for (const [at, item] of block.transactions.entries()) {
    const { hash } = hashed.parse(item);
    hashes.push(hash);
    const isWanted = wanted.includes(hash);
    try {
      transactions.push(encodeTransaction(nodeTransactionShape.parse(item)));
      receipts.push(encodeReceipt(nodeReceiptShape.parse(saidReceipts[at])));
    } catch (error) {
      // A kind that nobody here knows: the roots cannot be computed, the transactions asked for stand by themselves.
      if (isWanted || !(error instanceof UnknownKindError || error instanceof z.ZodError)) throw error;
      isProvable = false;
      transactions.push(new Uint8Array());
      receipts.push(new Uint8Array());
    }
    await pace.breathe();
  }
  const header = encodeHeader(block);
  const tries =
    isProvable && keccak256Bytes(header) === blockHash
      ? await buildTries(block, { transactions, receipts, pace })
      : undefined;
  const entries = wanted.map((hash) => {
    const index = hashes.indexOf(hash);
    const [raw, receipt] = [transactions[index], receipts[index]];
    if (!raw || !receipt) throw new BlockGoneError();
    return {
      index,
      hash,
      raw: bytesToHex(raw),
      proof: tries?.transactions.prove(index) ?? null,
      receipt: bytesToHex(receipt),
      receiptProof: tries?.receipts.prove(index) ?? null,
    };
  });
  return { block: describeBlock(block, tries ? header : null), transactions: entries };
}

/** The block of a hash alone. @throws BlockGoneError as `proveBlock` does. */
export async function readBlock(
  client: PublicClient,
  blockHash: Hex,
): Promise<EvidenceBlock & { stateRoot: Hex }> {
  const said = await askNode(client, 'eth_getBlockByHash', [blockHash, false]);
  if (said === null) throw new BlockGoneError();
  const block = nodeBlockShape.parse(said);
  const header = encodeHeader(block);
  const isKnown = keccak256Bytes(header) === blockHash;
  return { ...describeBlock(block, isKnown ? header : null), stateRoot: block.stateRoot };
}

/** The hash of the chain's block of that number now; undefined where there is none. */
export async function readHash(client: PublicClient, number: number): Promise<Hex | undefined> {
  const said = await askNode(client, 'eth_getBlockByNumber', [numberToHex(number), false]);
  return said === null ? undefined : nodeBlockShape.parse(said).hash;
}

/** Asks for what viem has no method for, or would re-shape. @throws ChainUnavailableError where nobody answers. */
export async function askNode(client: PublicClient, method: string, params: unknown[]): Promise<unknown> {
  const request: { method: string; params: unknown[] } = { method, params };
  return client.transport.request(request).catch((cause: unknown) => {
    throw chainUnavailable(cause);
  });
}

async function readReceipts(client: PublicClient, block: NodeBlock, blockHash: Hex): Promise<unknown[]> {
  const said = await askNode(client, 'eth_getBlockReceipts', [block.number]);
  const receipts = receiptsOfBlock.parse(said);
  const isWhole = receipts?.every((receipt) => receipt.blockHash.toLowerCase() === blockHash);
  if (!receipts || !isWhole) throw new BlockGoneError();
  return receipts;
}

async function buildTries(
  block: NodeBlock,
  { transactions, receipts, pace }: { transactions: Uint8Array[]; receipts: Uint8Array[]; pace: Pace },
): Promise<{ transactions: BlockTrie; receipts: BlockTrie } | undefined> {
  const [ofTransactions, ofReceipts] = [
    await buildBlockTrie(transactions, pace.breathe),
    await buildBlockTrie(receipts, pace.breathe),
  ];
  const isSame = ofTransactions.root === block.transactionsRoot && ofReceipts.root === block.receiptsRoot;
  return isSame ? { transactions: ofTransactions, receipts: ofReceipts } : undefined;
}

function describeBlock(block: NodeBlock, header: Uint8Array | null): EvidenceBlock {
  return {
    number: Number(block.number),
    hash: block.hash,
    timestamp: Number(block.timestamp),
    header: header && bytesToHex(header),
  };
}
