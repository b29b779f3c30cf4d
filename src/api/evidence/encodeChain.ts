import type { Hex } from 'viem';
import { depositType } from '../../protocol/evidence/blockParts.ts';
import { encodeRlp, type RlpInput } from './encodeRlp.ts';
import type { NodeBlock, NodeReceipt, NodeTransaction } from './nodeShapes.ts';

/** A part of a block of an unknown kind, which cannot be encoded. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
}

/** The RLP of a header, as in its hash: fields added by forks follow in the order of the forks. */
export function encodeHeader(block: NodeBlock): Uint8Array {
  const later = [
    block.baseFeePerGas && number(block.baseFeePerGas),
    block.withdrawalsRoot && bytes(block.withdrawalsRoot),
    block.blobGasUsed && number(block.blobGasUsed),
    block.excessBlobGas && number(block.excessBlobGas),
    block.parentBeaconBlockRoot && bytes(block.parentBeaconBlockRoot),
    block.requestsHash && bytes(block.requestsHash),
  ].filter((field) => field !== undefined);
  return encodeRlp([
    bytes(block.parentHash),
    bytes(block.sha3Uncles),
    bytes(block.miner),
    bytes(block.stateRoot),
    bytes(block.transactionsRoot),
    bytes(block.receiptsRoot),
    bytes(block.logsBloom),
    number(block.difficulty),
    number(block.number),
    number(block.gasLimit),
    number(block.gasUsed),
    number(block.timestamp),
    bytes(block.extraData),
    bytes(block.mixHash),
    bytes(block.nonce),
    ...later,
  ]);
}

/** A transaction's bytes in the block's trie. @throws UnknownKindError for an unknown type. */
export function encodeTransaction(tx: NodeTransaction): Uint8Array {
  const type = Number(tx.type ?? '0x0');
  const rest = [number(tx.gas), bytes(tx.to), number(tx.value), bytes(tx.input)];
  const signature = [number(tx.r), number(tx.s)];
  const access = (tx.accessList ?? []).map(({ address, storageKeys }) => [
    bytes(address),
    storageKeys.map(bytes),
  ]);
  const fees = [number(tx.maxPriorityFeePerGas), number(tx.maxFeePerGas)];
  const parity = number(tx.yParity ?? tx.v);
  switch (type) {
    case 0:
      return encodeRlp([number(tx.nonce), number(tx.gasPrice), ...rest, number(tx.v), ...signature]);
    case 1:
      return typed(1, [
        number(tx.chainId),
        number(tx.nonce),
        number(tx.gasPrice),
        ...rest,
        access,
        parity,
        ...signature,
      ]);
    case 2:
      return typed(2, [number(tx.chainId), number(tx.nonce), ...fees, ...rest, access, parity, ...signature]);
    case 3: {
      const blobs = [number(tx.maxFeePerBlobGas), (tx.blobVersionedHashes ?? []).map(bytes)];
      return typed(3, [
        number(tx.chainId),
        number(tx.nonce),
        ...fees,
        ...rest,
        access,
        ...blobs,
        parity,
        ...signature,
      ]);
    }
    case 4: {
      const authorised = (tx.authorizationList ?? []).map((one) => [
        number(one.chainId),
        bytes(one.address),
        number(one.nonce),
        number(one.yParity ?? one.v),
        number(one.r),
        number(one.s),
      ]);
      return typed(4, [
        number(tx.chainId),
        number(tx.nonce),
        ...fees,
        ...rest,
        access,
        authorised,
        parity,
        ...signature,
      ]);
    }
    case depositType: {
      const [gas, to, value, data] = [number(tx.gas), bytes(tx.to), number(tx.value), bytes(tx.input)];
      const isSystem = tx.isSystemTx ? '0x01' : '0x';
      return typed(depositType, [
        bytes(tx.sourceHash),
        bytes(tx.from),
        to,
        number(tx.mint),
        value,
        gas,
        isSystem,
        data,
      ]);
    }
    default:
      throw new UnknownKindError(`transaction type ${type} is not supported`);
  }
}

/** A receipt's bytes in the block's trie; a deposit's has nonce and version since Canyon, and neither before. */
export function encodeReceipt(receipt: NodeReceipt): Uint8Array {
  const type = Number(receipt.type ?? '0x0');
  const outcome = receipt.root ? bytes(receipt.root) : number(receipt.status);
  const logs = receipt.logs.map(({ address, topics, data }) => [
    bytes(address),
    topics.map(bytes),
    bytes(data),
  ]);
  const hasNonce = type === depositType && receipt.depositReceiptVersion !== undefined;
  const deposit = hasNonce ? [number(receipt.depositNonce), number(receipt.depositReceiptVersion)] : [];
  const fields = [outcome, number(receipt.cumulativeGasUsed), bytes(receipt.logsBloom), logs, ...deposit];
  return type === 0 ? encodeRlp(fields) : typed(type, fields);
}

function typed(type: number, fields: readonly RlpInput[]): Uint8Array {
  return encodeRlp(fields, type);
}

function bytes(hex: Hex | undefined): Hex {
  return hex ?? '0x';
}

/** Without leading zeros, as RLP encodes numbers. */
function number(hex: Hex | undefined): Hex {
  const digits = (hex ?? '0x').slice(2).replace(/^0+/, '');
  return `0x${digits.length % 2 === 1 ? '0' : ''}${digits}`;
}
