import type { Hex } from 'viem';
import { bytesToHex, hexToBytes } from '../hex.ts';
import { keccak256Bytes } from '../keccak.ts';
import { EncodingError, type RlpItem } from './decodeRlp.ts';
import { type EvidenceSignature, recoverSigner } from './recoverSigner.ts';
import {
  bytesItem,
  decodeList,
  encodeList,
  hexItem,
  listItem,
  numberItem,
  openEnvelope,
} from './rlpFields.ts';

/** The fields of a block's header; `hash` is computed from its bytes. */
export type Header = {
  readonly hash: Hex;
  readonly number: number;
  readonly timestamp: number;
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
  readonly fields: readonly RlpItem[];
};

const headerFields = 15;

/** @throws EncodingError for anything but a header. */
export function parseHeader(raw: Hex): Header {
  const bytes = hexToBytes(raw);
  const fields = decodeList(bytes);
  if (fields.length < headerFields) throw new EncodingError('is not a block header');
  return {
    hash: keccak256Bytes(bytes),
    number: Number(numberItem(fields[8])),
    timestamp: Number(numberItem(fields[11])),
    stateRoot: hexItem(fields[3], 32),
    transactionsRoot: hexItem(fields[4], 32),
    receiptsRoot: hexItem(fields[5], 32),
    fields,
  };
}

const sealBytes = 65;

/** The sealer of a block, if the chain's sequencer signs its headers as Clique does; otherwise undefined. */
export async function recoverSealer({ fields }: Header): Promise<Hex | undefined> {
  const extra = bytesItem(fields[12]);
  if (extra.length < 32 + sealBytes) return undefined;
  const seal = extra.subarray(-sealBytes);
  const unsealed = [...fields];
  unsealed[12] = extra.subarray(0, -sealBytes);
  const [r, s] = [bytesToHex(seal.subarray(0, 32)), bytesToHex(seal.subarray(32, 64))];
  return recoverSigner(keccak256Bytes(encodeList(unsealed)), { r, s, yParity: seal[64] ?? 2 });
}

export type Transaction = {
  readonly hash: Hex;
  /** 0 for a legacy transaction. */
  readonly type: number;
  /** The sender's count of its own transactions; undefined for a deposit. */
  readonly nonce: bigint | undefined;
  /** Null if the transaction creates a contract. */
  readonly to: Hex | null;
  readonly data: Hex;
  /** Undefined for a legacy transaction without a chain id, and for deposits. */
  readonly chainId: bigint | undefined;
  /** The hash that the sender signed; undefined for a deposit, which nobody signs. */
  readonly signing: { readonly hash: Hex; readonly signature: EvidenceSignature } | undefined;
  /** The sender of a deposit. */
  readonly depositor: Hex | undefined;
};

/** The position of the fields in each type of transaction. */
const places: Readonly<Record<number, { to: number; data: number; size: number }>> = {
  1: { to: 4, data: 6, size: 11 },
  2: { to: 5, data: 7, size: 12 },
  3: { to: 5, data: 7, size: 14 },
  4: { to: 5, data: 7, size: 13 },
};
/** Chains of the OP stack: transactions that come from the chain below. */
export const depositType = 0x7e;

/** @throws EncodingError for something other than a transaction of a known type. */
export function parseTransaction(raw: Hex): Transaction {
  const bytes = hexToBytes(raw);
  const hash = keccak256Bytes(bytes);
  const { type, body } = openEnvelope(bytes);
  const fields = decodeList(body);
  if (type === 0) return { hash, type, ...parseLegacy(fields) };
  if (type === depositType) {
    if (fields.length !== 8) throw new EncodingError('is not a deposit');
    const [, from, to, , , , , data] = fields;
    const depositor = hexItem(from, 20);
    return {
      hash,
      type,
      nonce: undefined,
      to: addressItem(to),
      data: hexItem(data),
      chainId: undefined,
      signing: undefined,
      depositor,
    };
  }
  const place = places[type];
  if (place === undefined || fields.length !== place.size)
    throw new EncodingError('is not a transaction of a known type');
  const unsigned = encodeList(fields.slice(0, -3));
  const message = new Uint8Array(unsigned.length + 1);
  message[0] = type;
  message.set(unsigned, 1);
  const [parity, r, s] = fields.slice(-3);
  const signature = { r: wordItem(r), s: wordItem(s), yParity: Number(numberItem(parity)) };
  return {
    hash,
    type,
    nonce: numberItem(fields[1]),
    to: addressItem(fields[place.to]),
    data: hexItem(fields[place.data]),
    chainId: numberItem(fields[0]),
    signing: { hash: keccak256Bytes(message), signature },
    depositor: undefined,
  };
}

function parseLegacy(fields: readonly RlpItem[]): Omit<Transaction, 'hash' | 'type'> {
  if (fields.length !== 9) throw new EncodingError('is not a transaction');
  const v = numberItem(fields[6]);
  const isProtected = v >= 35n;
  const chainId = isProtected ? (v - 35n) / 2n : undefined;
  const unsigned = fields.slice(0, 6);
  if (chainId !== undefined) unsigned.push(minimal(chainId), new Uint8Array(), new Uint8Array());
  const yParity = Number(isProtected ? (v - 35n) % 2n : v - 27n);
  const signature = { r: wordItem(fields[7]), s: wordItem(fields[8]), yParity };
  return {
    nonce: numberItem(fields[0]),
    to: addressItem(fields[3]),
    data: hexItem(fields[5]),
    chainId,
    signing: { hash: keccak256Bytes(encodeList(unsigned)), signature },
    depositor: undefined,
  };
}

function minimal(value: bigint): Uint8Array {
  const digits = value === 0n ? '' : value.toString(16);
  return hexToBytes(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`);
}

function addressItem(item: RlpItem | undefined): Hex | null {
  return bytesItem(item).length === 0 ? null : hexItem(item, 20);
}

function wordItem(item: RlpItem | undefined): Hex {
  return `0x${numberItem(item).toString(16).padStart(64, '0')}`;
}

/** One event of a receipt. */
export type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex };

export type Receipt = {
  /** The receipt's transaction type. */
  readonly type: number;
  readonly succeeded: boolean;
  readonly logs: readonly Log[];
};

/** @throws EncodingError for anything but a receipt. Deposits have up to two fields more than others. */
export function parseReceipt(raw: Hex): Receipt {
  const { type, body } = openEnvelope(hexToBytes(raw));
  const fields = decodeList(body);
  const most = type === depositType ? 6 : 4;
  if (fields.length < 4 || fields.length > most) throw new EncodingError('is not a receipt');
  const logs = listItem(fields[3]).map((item) => {
    const [address, topics, data, ...others] = listItem(item);
    if (others.length > 0) throw new EncodingError('has a log with too many fields');
    return {
      address: hexItem(address, 20),
      topics: listItem(topics).map((topic) => hexItem(topic, 32)),
      data: hexItem(data),
    };
  });
  return { type, succeeded: numberItem(fields[0]) === 1n, logs };
}
