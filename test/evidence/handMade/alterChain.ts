import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, concatHex, type Hex, hexToBytes, toHex } from 'viem';
import { encodeReceipt, type HandMadeChain, type HandMadeLog, type HandMadeStep } from './sealChain.ts';

/** The curve's order: the second parts of the two forms of a signature add up to it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Ways to alter a handmade chain before it is sealed. */
export function stepOf({ steps }: HandMadeChain, which: number): HandMadeStep {
  const step = steps[which];
  if (!step) throw new Error('there is no such step');
  return step;
}

export function logOf(chain: HandMadeChain, which: number, log = 0): HandMadeLog {
  const found = stepOf(chain, which).logs[log];
  if (!found) throw new Error('there is no such log');
  return found;
}

export function permitLog({ logs }: HandMadeStep): HandMadeLog {
  const log = logs[1];
  if (!log) throw new Error('no permit was given');
  return log;
}

/** Changes the fields of a transaction inside its typed envelope. */
export function editRaw(chain: HandMadeChain, which: number, run: (fields: Item[]) => void): void {
  const step = stepOf(chain, which);
  const fields = readList(`0x${step.raw.slice(4)}`);
  run(fields);
  step.raw = concatHex([`0x${step.raw.slice(2, 4)}`, bytesToHex(RLP.encode(fields))]);
}

type Item = Uint8Array | Item[];

function readList(raw: Hex): Item[] {
  const fields = RLP.decode(hexToBytes(raw));
  if (fields instanceof Uint8Array) throw new Error('no list');
  return fields;
}

/** The other form of a transaction's signature. */
export function malleateFields(fields: Item[]): void {
  const [parity, , s] = fields.slice(9);
  if (!(parity instanceof Uint8Array) || !(s instanceof Uint8Array)) throw new Error('no signature');
  fields[9] = parity.length === 0 ? new Uint8Array([1]) : new Uint8Array();
  fields[11] = hexToBytes(toHex(order - BigInt(bytesToHex(s))));
}

/** The same list with a length that is one byte longer than necessary. */
export function lengthen(raw: Hex): Hex {
  const [width, body] = [Number(`0x${raw.slice(4, 6)}`) - 0xf7, raw.slice(6)];
  if (width < 1) throw new Error('a short list');
  return `0x${raw.slice(2, 4)}${(0xf8 + width).toString(16)}00${body}`;
}

export function forgeReceipt(chain: HandMadeChain, which: number, encode: (step: HandMadeStep) => Hex): void {
  const forged = stepOf(chain, which);
  chain.encodeReceipt = (step) => (step === forged ? encode(step) : encodeReceipt(step));
}

export function receiptWithLongLog(step: HandMadeStep): Hex {
  const fields = readList(`0x${encodeReceipt(step).slice(4)}`);
  const [, , , logs] = fields;
  const log = Array.isArray(logs) && logs[0];
  if (!Array.isArray(log)) throw new Error('no log');
  log.push(new Uint8Array([1]));
  return concatHex(['0x02', bytesToHex(RLP.encode(fields))]);
}
