import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { insertAll, proveKey } from './referenceRoot.ts';
import { encodeEnvelope, type Item, trim } from './rlpHex.ts';

/** One log, in a receipt's form. */
export type HandMadeLog = { address: Hex; topics: Hex[]; data: Hex };

/**
 * A transaction of the agreement with its receipt and its block's time. A deposit's receipt has a nonce and a
 * version.
 */
export type HandMadeStep = { raw: Hex; type: Hex; logs: HandMadeLog[]; status: Hex; time: number };

/** The parts of a chain before it is sealed. Each of them can be altered. */
export type HandMadeChain = {
  readonly chainId: number;
  readonly contract: Hex;
  readonly steps: HandMadeStep[];
  /** The contract's storage slots, as RLP. */
  readonly storage: Map<Hex, Hex>;
  /** The fields of the contract's account after its storage root. */
  accountTail: Hex[];
  /** The key of an item in its block's tries. */
  keyOf(index: number): Uint8Array;
  encodeReceipt(step: HandMadeStep): Hex;
};

const bloom: Hex = `0x${'0'.repeat(512)}`;
const firstNumber = 100;
/** The transaction's place in its block: every block of the OP stack begins with the attributes. */
const index = 1;

type Call = { readonly to: Hex; readonly data: Hex };

export function signCall(
  account: PrivateKeyAccount,
  call: Call & { nonce: number; chainId: number },
): Promise<Hex> {
  const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n, gas: 400_000n } as const;
  return account.signTransaction({ type: 'eip1559', ...fees, ...call });
}

/** A transaction that comes from the chain below, in the name of `from`. */
export function buildDeposit({ from, to, data }: Call & { from: Hex }): Hex {
  const sourceHash = `0x${'5c'.repeat(32)}`;
  return encodeEnvelope('0x7e', [sourceHash, from, to, '0x', '0x', trim('0x61a80'), '0x', data]);
}

/** A receipt in its block's form. */
export function encodeReceipt({ type, logs, status }: HandMadeStep): Hex {
  const list: Item[] = [
    ...[trim(status), trim('0x20000'), bloom],
    logs.map(({ address, topics, data }) => [address, topics, data]),
    ...(type === '0x7e' ? ['0x07', '0x01'] : []),
  ];
  return encodeEnvelope(type, list);
}

/** The block of each step, and each step with its proofs, in the form of evidence files. */
export async function sealChain(chain: HandMadeChain, stateRoot: Hex) {
  return Promise.all(chain.steps.map((step, at) => sealBlock(chain, { step, at, stateRoot })));
}

async function sealBlock(
  chain: HandMadeChain,
  { step, at, stateRoot }: { step: HandMadeStep; at: number; stateRoot: Hex },
) {
  const number = firstNumber + at;
  const attributes: HandMadeStep = {
    ...{ type: '0x7e', logs: [], status: '0x1', time: step.time },
    raw: buildDeposit({
      from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
      to: '0x4200000000000000000000000000000000000015',
      data: `0x440a5e20${number.toString(16).padStart(320, '0')}`,
    }),
  };
  const receipt = chain.encodeReceipt(step);
  const build = (items: Hex[]) =>
    insertAll(
      items.map((item) => hexToBytes(item)),
      chain.keyOf,
    );
  const ofRaws = await build([attributes.raw, step.raw]);
  const ofReceipts = await build([encodeReceipt(attributes), receipt]);
  const some = `0x${'11'.repeat(32)}`;
  const header = bytesToHex(
    RLP.encode([
      ...[some, some, `0x${'42'.repeat(20)}`, stateRoot, bytesToHex(ofRaws.root())],
      ...[bytesToHex(ofReceipts.root()), bloom, '0x', trim(numberToHex(number)), trim('0x3938700')],
      ...[trim('0x39000'), trim(numberToHex(step.time)), '0x00000000fa00000006', some, '0x0000000000000000'],
      ...[trim('0xfc'), some, '0x', '0x', some, some],
    ]),
  );
  const key = chain.keyOf(index);
  return {
    block: { number, hash: keccak256(header), timestamp: step.time, header },
    transaction: {
      ...{ block: at, index, hash: keccak256(step.raw), raw: step.raw, proof: await proveKey(ofRaws, key) },
      ...{ receipt, receiptProof: await proveKey(ofReceipts, key) },
    },
  };
}

/** A state that holds the contract and another account, with proofs of some of the contract's slots. */
export async function proveContract(
  { contract, storage, accountTail }: HandMadeChain,
  proved: readonly { readonly of: string; readonly slot: Hex }[],
) {
  const ofSlots = new MerklePatriciaTrie();
  for (const [slot, value] of storage)
    if (value !== '0x80') await ofSlots.put(hexToBytes(keccak256(slot)), hexToBytes(value));
  const accounts = new MerklePatriciaTrie();
  const key = hexToBytes(keccak256(contract));
  await accounts.put(key, RLP.encode(['0x01', '0x', bytesToHex(ofSlots.root()), ...accountTail]));
  const empty = bytesToHex(new MerklePatriciaTrie().root());
  const other = RLP.encode(['0x02', '0x05', empty, keccak256('0x')]);
  await accounts.put(hexToBytes(keccak256(`0x${'0b'.repeat(20)}`)), other);
  const entries = [];
  for (const { of, slot } of proved) {
    const [value = '0x'] = storage.has(slot) ? [decodeWord(storage.get(slot) ?? '0x80')] : [];
    const proof = await proveKey(ofSlots, hexToBytes(keccak256(slot)));
    entries.push({ of, value: `0x${value.slice(2).padStart(64, '0')}`, proof });
  }
  return {
    stateRoot: bytesToHex(accounts.root()),
    accountProof: await proveKey(accounts, key),
    storage: entries,
  };
}

/** A word in the form of a storage trie's value. */
export function encodeWord(word: Hex): Hex {
  return bytesToHex(RLP.encode(trim(word)));
}

function decodeWord(stored: Hex): Hex {
  const item = RLP.decode(hexToBytes(stored));
  return item instanceof Uint8Array ? bytesToHex(item) : '0x';
}
