import { RLP } from '@ethereumjs/rlp';
import type { Hex } from 'viem';
import { PayloadError } from '../errors.ts';
import { hexToBytes } from '../hex.ts';
import { keccak256Bytes } from '../keccak.ts';
import {
  type Header,
  type Log,
  parseHeader,
  parseReceipt,
  parseTransaction,
  type Transaction,
} from './blockParts.ts';
import { EncodingError } from './decodeRlp.ts';
import type { EvidenceBlock, EvidenceFile, EvidenceTransaction } from './evidenceFile.ts';
import { recoverSigner } from './recoverSigner.ts';
import { type RefusalReason, refuse } from './refusal.ts';
import { readTrieProof, TrieProofError } from './trieProof.ts';

/** A transaction whose bytes, receipt and proofs have been checked. */
export type CheckedTransaction = Transaction & {
  readonly block: EvidenceBlock;
  readonly logs: readonly Log[];
  /** The signer; undefined for a deposit. */
  readonly from: Hex | undefined;
  /** Whether proofs have shown that its block includes it. */
  readonly isIncluded: boolean;
};

/** Runs a check, and refuses the file if the check finds invalid bytes. */
export function checked<Value>(reason: RefusalReason, path: string, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    if (error instanceof EncodingError) refuse(reason, path, `${path} ${error.message}.`);
    if (error instanceof TrieProofError) refuse(reason, path, error.message);
    if (error instanceof PayloadError)
      refuse(reason, path, `${path} is not encoded as the contracts encode it.`);
    throw error;
  }
}

/** @throws EvidenceRefusal if blocks are out of order, or a header is that of another block. */
export function checkBlocks({ blocks, transactions, state }: EvidenceFile): (Header | null)[] {
  const used = new Set([...transactions.map(({ block }) => block), ...(state ? [state.block] : [])]);
  return blocks.map((block, at) => {
    const path = `blocks[${at}]`;
    const before = blocks[at - 1];
    if (before && before.number >= block.number)
      refuse('order_invalid', path, 'The blocks are not in ascending order.');
    if (before && before.timestamp > block.timestamp)
      refuse('order_invalid', path, 'The block has an earlier time than the block before it.');
    if (!used.has(at)) refuse('order_invalid', path, 'Nothing in the file belongs to this block.');
    return block.header === null ? null : checkHeader(block, block.header, path);
  });
}

function checkHeader(block: EvidenceBlock, raw: Hex, path: string): Header {
  const header = checked('header_mismatch', `${path}.header`, () => parseHeader(raw));
  if (header.hash !== block.hash)
    refuse('header_mismatch', `${path}.header`, 'The header does not have the hash that the file names.');
  if (header.number !== block.number)
    refuse('header_mismatch', `${path}.number`, 'The header has another number.');
  if (header.timestamp !== block.timestamp)
    refuse('header_mismatch', `${path}.timestamp`, 'The header has another time.');
  return header;
}

/** @throws EvidenceRefusal if a transaction or receipt is not what its block holds, is out of order, or failed. */
export async function checkTransaction(
  file: EvidenceFile,
  at: number,
  headers: readonly (Header | null)[],
): Promise<CheckedTransaction> {
  const path = `transactions[${at}]`;
  const entry = file.transactions[at];
  const block = entry && file.blocks[entry.block];
  if (!entry || !block)
    refuse('bad_format', `${path}.block`, 'The transaction names a block that the file does not have.');
  requireOrder(file.transactions[at - 1], entry, path);
  const transaction = checked('transaction_invalid', `${path}.raw`, () => parseTransaction(entry.raw));
  if (transaction.hash !== entry.hash)
    refuse('transaction_invalid', `${path}.hash`, 'The bytes have another hash.');
  if (transaction.chainId !== undefined && transaction.chainId !== BigInt(file.chain.chainId))
    refuse('transaction_invalid', `${path}.raw`, 'The transaction is for another chain.');
  const { signing, depositor } = transaction;
  const from = signing ? await recoverSigner(signing.hash, signing.signature) : depositor;
  if (from === undefined) refuse('transaction_invalid', `${path}.raw`, 'The signature is not valid.');
  const header = headers[entry.block] ?? null;
  const isIncluded = checkInclusion(entry, header, path);
  const receipt = checked('receipt_proof_invalid', `${path}.receipt`, () => parseReceipt(entry.receipt));
  if (receipt.type !== transaction.type)
    refuse('transaction_invalid', `${path}.receipt`, 'The receipt belongs to another type of transaction.');
  if (!receipt.succeeded) refuse('transaction_invalid', `${path}.receipt`, 'The transaction failed.');
  return { ...transaction, block, logs: receipt.logs, from: signing && from, isIncluded };
}

function requireOrder(
  before: EvidenceTransaction | undefined,
  entry: EvidenceTransaction,
  path: string,
): void {
  if (!before || before.block < entry.block) return;
  if (before.block === entry.block && before.index < entry.index) return;
  refuse('order_invalid', path, 'The transactions are not in ascending order.');
}

function checkInclusion(entry: EvidenceTransaction, header: Header | null, path: string): boolean {
  const { proof, receiptProof, index } = entry;
  if (header === null || proof === null || receiptProof === null) {
    if (header !== null || proof !== null || receiptProof !== null)
      refuse('bad_format', path, 'The header and both proofs must be in the file, or none of them.');
    return false;
  }
  const key = RLP.encode(index);
  const prove = (reason: RefusalReason, part: string, root: Hex, nodes: readonly Hex[], raw: Hex) => {
    const value = checked(reason, `${path}.${part}`, () => readTrieProof(root, key, nodes));
    if (value === null || keccak256Bytes(value) !== keccak256Bytes(hexToBytes(raw)))
      refuse(reason, `${path}.${part}`, 'The block holds something else at this index.');
  };
  prove('transaction_proof_invalid', 'proof', header.transactionsRoot, proof, entry.raw);
  prove('receipt_proof_invalid', 'receiptProof', header.receiptsRoot, receiptProof, entry.receipt);
  return true;
}
