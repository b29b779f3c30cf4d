import type { Hex } from 'viem';
import { z } from 'zod';

/** The parts of nodes' answers from which roots are computed; other members stay, for other kinds of chains. */
const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  // Nodes write lower case: a new text for each field of each block would be garbage.
  .transform((text): Hex => (isLowerHex(text) ? text : `0x${text.slice(2).toLowerCase()}`));
function isLowerHex(text: string): text is Hex {
  return /^0x[0-9a-f]*$/.test(text);
}

const optional = hex.nullish().transform((value) => value ?? undefined);

const accessList = z.array(z.object({ address: hex, storageKeys: z.array(hex) })).nullish();

export const nodeTransactionShape = z.object({
  hash: hex,
  type: optional,
  nonce: hex,
  gasPrice: optional,
  maxFeePerGas: optional,
  maxPriorityFeePerGas: optional,
  maxFeePerBlobGas: optional,
  blobVersionedHashes: z.array(hex).nullish(),
  gas: hex,
  to: optional,
  from: hex,
  value: hex,
  input: hex,
  chainId: optional,
  accessList,
  authorizationList: z
    .array(
      z.object({ chainId: hex, address: hex, nonce: hex, yParity: optional, v: optional, r: hex, s: hex }),
    )
    .nullish(),
  yParity: optional,
  v: optional,
  r: optional,
  s: optional,
  sourceHash: optional,
  mint: optional,
  isSystemTx: z.boolean().nullish(),
});
export type NodeTransaction = z.output<typeof nodeTransactionShape>;

export const nodeBlockShape = z.object({
  hash: hex,
  parentHash: hex,
  sha3Uncles: hex,
  miner: hex,
  stateRoot: hex,
  transactionsRoot: hex,
  receiptsRoot: hex,
  logsBloom: hex,
  difficulty: hex,
  number: hex,
  gasLimit: hex,
  gasUsed: hex,
  timestamp: hex,
  extraData: hex,
  mixHash: optional,
  nonce: optional,
  baseFeePerGas: optional,
  withdrawalsRoot: optional,
  blobGasUsed: optional,
  excessBlobGas: optional,
  parentBeaconBlockRoot: optional,
  requestsHash: optional,
});
export type NodeBlock = z.output<typeof nodeBlockShape>;

export const nodeReceiptShape = z.object({
  transactionHash: hex,
  type: optional,
  status: optional,
  root: optional,
  cumulativeGasUsed: hex,
  logsBloom: hex,
  logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })),
  depositNonce: optional,
  depositReceiptVersion: optional,
});
export type NodeReceipt = z.output<typeof nodeReceiptShape>;

export const nodeProofShape = z.object({
  accountProof: z.array(hex),
  storageProof: z.array(z.object({ key: z.string(), value: hex, proof: z.array(hex) })),
});

export const accessListShape = z.object({
  accessList: z.array(z.object({ address: hex, storageKeys: z.array(hex) })),
});
