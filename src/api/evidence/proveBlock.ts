import { type Hex, numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import { AnswerTooLongError } from '../../platform/nodes/answerTooLongError.ts';
import type { Pace } from '../../platform/turns/pace.ts';
import type { EvidenceBlock, EvidenceTransaction } from '../../protocol/evidence/evidenceFile.ts';
import { bytesToHex } from '../../protocol/hex.ts';
import { keccak256Bytes } from '../../protocol/keccak.ts';
import { askNode, parseAnswer } from './askNode.ts';
import { type BlockTrie, buildBlockTrie } from './blockTrie.ts';
import { encodeHeader, encodeReceipt, encodeTransaction, UnknownKindError } from './encodeChain.ts';
import {
  type NodeBlock,
  type NodeReceipt,
  type NodeTransaction,
  nodeBlockShape,
  nodeReceiptShape,
  nodeTransactionShape,
} from './nodeShapes.ts';
import { requireSenderSignature, unknownKind } from './requireSenderSignature.ts';

/** The block is missing or incomplete: a reorg has removed it, or the node does not have it yet. */
export class BlockGoneError extends Error {
  override readonly name = 'BlockGoneError';
}

/** A block's own data and, for the requested transactions, their data for a file. */
export type ProvedBlock = {
  readonly block: EvidenceBlock;
  readonly transactions: readonly Omit<EvidenceTransaction, 'block'>[];
};

/** The node's own lists: they are emptied while they are read. */
const items = z.custom<unknown[]>(Array.isArray);
const wholeBlockShape = nodeBlockShape.extend({ transactions: items });
const placedReceiptShape = nodeReceiptShape.extend({ blockHash: z.string() });
const wantedReceiptShape = placedReceiptShape.extend({ transactionIndex: z.string() });
const hashedShape = z.object({ hash: z.templateLiteral(['0x', z.string()]) });

/**
 * Fetches a block with its receipts, and proves transactions against its header. If the header or a root
 * cannot be recomputed from the node's answer, as on chains that hash differently, the transactions come
 * without proofs. So they do if the block is too long for one answer: anybody can put long transactions into it.
 *
 * @throws BlockGoneError if the node has no such block.
 * @throws RefusedError `not_provable` if a transaction asked for is of an unknown kind, or its sender has not signed it.
 * @throws ChainUnavailableError if no endpoint answers.
 */
export async function proveBlock(
  client: PublicClient,
  place: {
    readonly blockHash: Hex;
    readonly blockNumber: number;
    readonly wanted: readonly Hex[];
    readonly pace: Pace;
  },
): Promise<ProvedBlock> {
  const { blockHash, wanted, pace } = place;
  const { block, hashes, transactions, receipts, isWhole } = await readItems(client, place).catch(
    (error: unknown) => {
      if (error instanceof ChainUnavailableError && error.cause instanceof AnswerTooLongError)
        return readWanted(client, place);
      throw error;
    },
  );
  const header = encodeHeader(block);
  const tries =
    isWhole && keccak256Bytes(header) === blockHash
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

/** The block of a hash, without receipts. @throws BlockGoneError like `proveBlock`. */
export async function readBlock(
  client: PublicClient,
  blockHash: Hex,
): Promise<EvidenceBlock & { stateRoot: Hex }> {
  const method = 'eth_getBlockByHash';
  const block = await askNode(client, { method, params: [blockHash, false], shape: nodeBlockShape });
  if (block === null) throw new BlockGoneError();
  const header = encodeHeader(block);
  const isKnown = keccak256Bytes(header) === blockHash;
  return { ...describeBlock(block, isKnown ? header : null), stateRoot: block.stateRoot };
}

/** The chain's current block hash at that number; undefined if there is none. */
export async function readHash(client: PublicClient, number: number): Promise<Hex | undefined> {
  const params = [numberToHex(number), false];
  return (await askNode(client, { method: 'eth_getBlockByNumber', params, shape: nodeBlockShape }))?.hash;
}

type BlockItems = {
  readonly block: NodeBlock;
  readonly hashes: readonly Hex[];
  readonly transactions: readonly Uint8Array[];
  readonly receipts: readonly Uint8Array[];
  /** Whether all of them could be encoded. */
  readonly isWhole: boolean;
};

/** Reads a block's transactions and receipts as bytes. */
async function readItems(
  client: PublicClient,
  { blockHash, blockNumber, wanted, pace }: Parameters<typeof proveBlock>[1],
): Promise<BlockItems> {
  const [answer, nodeReceipts] = await Promise.all([
    askNode(client, { method: 'eth_getBlockByHash', params: [blockHash, true], shape: wholeBlockShape }),
    askNode(client, { method: 'eth_getBlockReceipts', params: [numberToHex(blockNumber)], shape: items }),
  ]);
  if (answer === null || nodeReceipts === null) throw new BlockGoneError();
  const { transactions: nodeTransactions, ...block } = answer;
  if (nodeTransactions.length !== nodeReceipts.length) throw new BlockGoneError();
  const hashes: Hex[] = [];
  const transactions: Uint8Array[] = [];
  const receipts: Uint8Array[] = [];
  let isWhole = true;
  // Each item is released at once: whole blocks would outlive the young generation, and garbage of a hundred
  // would pile up.
  while (nodeTransactions.length > 0) {
    const [transaction, receipt] = [nodeTransactions.shift(), nodeReceipts.shift()];
    const { hash } = parseAnswer(hashedShape, transaction);
    hashes.push(hash);
    const isWanted = wanted.includes(hash);
    try {
      const parsed = parseAnswer(nodeTransactionShape, transaction);
      const raw = encodeTransaction(parsed);
      if (isWanted) requireSenderSignature(parsed, raw);
      transactions.push(raw);
      const placed = parseAnswer(placedReceiptShape, receipt);
      if (placed.blockHash.toLowerCase() !== blockHash) throw new BlockGoneError();
      receipts.push(encodeReceipt(placed));
    } catch (error) {
      // An unknown kind: the roots cannot be computed, so the requested transactions come without proofs.
      const isUnknown = error instanceof UnknownKindError || error instanceof ChainUnavailableError;
      if (isWanted && error instanceof UnknownKindError) throw unknownKind(hash);
      if (!isUnknown || isWanted) throw error;
      isWhole = false;
      transactions.length = hashes.length - 1;
      transactions.push(new Uint8Array());
      receipts.push(new Uint8Array());
    }
    await pace.breathe();
  }
  return { block, hashes, transactions, receipts, isWhole };
}

/** Reads only the transactions asked for, at their places in the block. */
async function readWanted(
  client: PublicClient,
  { blockHash, wanted, pace }: Parameters<typeof proveBlock>[1],
): Promise<BlockItems> {
  const block = await askNode(client, {
    method: 'eth_getBlockByHash',
    params: [blockHash, false],
    shape: nodeBlockShape,
  });
  if (block === null) throw new BlockGoneError();
  const hashes: Hex[] = [];
  const transactions: Uint8Array[] = [];
  const receipts: Uint8Array[] = [];
  for (const hash of wanted) {
    const params = [hash];
    const [transaction, receipt] = await Promise.all([
      askNode(client, { method: 'eth_getTransactionByHash', params, shape: nodeTransactionShape }),
      askNode(client, { method: 'eth_getTransactionReceipt', params, shape: wantedReceiptShape }),
    ]);
    if (!transaction || receipt?.blockHash.toLowerCase() !== blockHash) throw new BlockGoneError();
    const index = Number(receipt.transactionIndex);
    hashes[index] = hash;
    [transactions[index], receipts[index]] = encodeWanted(transaction, receipt);
    await pace.breathe();
  }
  return { block, hashes, transactions, receipts, isWhole: false };
}

/** @throws RefusedError `not_provable` */
function encodeWanted(transaction: NodeTransaction, receipt: NodeReceipt): [Uint8Array, Uint8Array] {
  try {
    const raw = encodeTransaction(transaction);
    requireSenderSignature(transaction, raw);
    return [raw, encodeReceipt(receipt)];
  } catch (error) {
    throw error instanceof UnknownKindError ? unknownKind(transaction.hash) : error;
  }
}

async function buildTries(
  block: NodeBlock,
  { transactions, receipts, pace }: Pick<BlockItems, 'transactions' | 'receipts'> & { pace: Pace },
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
