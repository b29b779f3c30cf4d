import { RLP } from '@ethereumjs/rlp';
import { type Hex, keccak256, numberToHex, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { hexToBytes } from '../../../src/protocol/hex.ts';
import { referenceRoot } from './referenceRoot.ts';
import { encodeEnvelope, trim } from './rlpHex.ts';

/**
 * A block in the form in which an OP-stack node returns it, handmade from the specification of deposits and
 * not from a real chain. It contains the attributes of the chain below, a user's deposit with a mint, and
 * transactions of three other types. Its roots and its hash come from viem's encoders, from lists written out
 * here, and from a general trie library.
 */
export async function buildOpStackBlock() {
  const signer = privateKeyToAccount(keccak256('0x6f70'));
  const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
  const bloom: Hex = `0x${'0'.repeat(512)}`;
  const attributes = {
    ...{ type: '0x7e', sourceHash: word('a'), from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001' },
    ...{ to: '0x4200000000000000000000000000000000000015', mint: null, value: '0x0', gas: '0xf4240' },
    ...{ isSystemTx: false, input: `0x440a5e20${'07'.repeat(160)}`, nonce: '0x1e240' },
  } as const;
  const userDeposit = {
    ...{ type: '0x7e', sourceHash: word('b'), from: '0x00000000000000000000000000000000000a11ce' },
    ...{ to: '0x0000000000000000000000000000000000000b0b', mint: '0xde0b6b3a7640000', value: '0x1' },
    ...{ gas: '0x186a0', input: '0x', nonce: '0x0' },
  } as const;
  const deposits = [attributes, userDeposit];
  const rawDeposits = deposits.map(({ sourceHash, from, to, mint, value, gas, input }) =>
    encodeEnvelope('0x7e', [
      ...[sourceHash, from, to, trim(mint ?? '0x0'), trim(value), trim(gas)],
      ...(['0x', input] as const),
    ]),
  );

  const common = {
    chainId,
    gas: 90_000n,
    to: '0x0000000000000000000000000000000000000c0c',
    value: 7n,
  } as const;
  const dynamic = { type: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 1n, data: '0x1234' } as const;
  const access = [{ address: common.to, storageKeys: [word('c')] }];
  const unsigned = [
    { ...common, ...dynamic, nonce: 0 },
    { ...common, ...dynamic, nonce: 1, accessList: access },
    { ...common, type: 'eip2930', gasPrice: 8n, nonce: 2, accessList: access },
    { ...common, type: 'legacy', gasPrice: 8n, nonce: 3 },
  ] as const;
  const rawSigned = await Promise.all(unsigned.map((transaction) => signer.signTransaction(transaction)));
  const signed = unsigned.map((transaction, at) => {
    const raw = rawSigned[at] ?? '0x';
    const { r = '0x', s = '0x', v = 0n, yParity = 0 } = parseTransaction(raw);
    const fees =
      transaction.type === 'eip1559'
        ? { maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x1' }
        : { gasPrice: '0x8' };
    return {
      ...{ type: { eip1559: '0x2', eip2930: '0x1', legacy: '0x0' }[transaction.type], ...fees },
      ...{ hash: keccak256(raw), from: signer.address, to: common.to, nonce: numberToHex(transaction.nonce) },
      ...{ gas: numberToHex(common.gas), value: '0x7', chainId: numberToHex(chainId) },
      input: 'data' in transaction ? transaction.data : '0x',
      ...('accessList' in transaction && { accessList: transaction.accessList }),
      ...{ r: trimNumber(r), s: trimNumber(s), v: numberToHex(v) },
      ...(transaction.type !== 'legacy' && { yParity: numberToHex(yParity) }),
    };
  });
  const raws = [...rawDeposits, ...rawSigned];

  const log = { address: common.to, topics: [word('d'), word('e')], data: '0xfeed' } as const;
  const facts = [
    { type: '0x7e', status: '0x1', gasUsed: '0xb4a4', logs: [], depositNonce: '0x1e240' },
    { type: '0x7e', status: '0x1', gasUsed: '0x15f90', logs: [log], depositNonce: '0x0' },
    { type: '0x2', status: '0x1', gasUsed: '0x1e000', logs: [log, log] },
    { type: '0x2', status: '0x0', gasUsed: '0x27000', logs: [] },
    { type: '0x1', status: '0x1', gasUsed: '0x30000', logs: [log] },
    { type: '0x0', status: '0x1', gasUsed: '0x39000', logs: [] },
  ] as const;
  const rawReceipts = facts.map(({ type, status, gasUsed, logs, ...deposit }) => {
    const list = [
      ...[trim(status), trim(gasUsed), bloom],
      logs.map(({ address, topics, data }) => [address, [...topics], data]),
      ...('depositNonce' in deposit ? [trim(deposit.depositNonce), '0x01'] : []),
    ];
    return encodeEnvelope(type, list);
  });
  const [transactionsRoot, receiptsRoot] = [
    await referenceRoot(raws.map(hexToBytes)),
    await referenceRoot(rawReceipts.map(hexToBytes)),
  ];
  const head = {
    ...{ parentHash: word('1'), sha3Uncles: word('2'), miner: '0x4200000000000000000000000000000000000011' },
    ...{ stateRoot: word('3'), transactionsRoot, receiptsRoot, logsBloom: bloom, difficulty: '0x0' },
    ...{ number: '0x10c8e0', gasLimit: '0x3938700', gasUsed: '0x39000', timestamp: '0x6a5e3b01' },
    ...{ extraData: '0x00000000fa00000006', mixHash: word('4'), nonce: '0x0000000000000000' },
    ...{ baseFeePerGas: '0xfc', withdrawalsRoot: word('5'), blobGasUsed: '0x0', excessBlobGas: '0x0' },
    ...{ parentBeaconBlockRoot: word('6'), requestsHash: word('7') },
  } as const;
  const quantities = new Set<string>([
    ...[
      'difficulty',
      'number',
      'gasLimit',
      'gasUsed',
      'timestamp',
      'baseFeePerGas',
      'blobGasUsed',
      'excessBlobGas',
    ],
  ]);
  const header = RLP.encode(
    Object.entries(head).map(([name, value]) => (quantities.has(name) ? trim(value) : value)),
  );
  const hash = keccak256(header);
  const transactions = [
    ...deposits.map((deposit, at) => ({
      ...deposit,
      ...{ hash: keccak256(rawDeposits[at] ?? '0x'), r: '0x0', s: '0x0', v: '0x0', gasPrice: '0x0' },
    })),
    ...signed,
  ];
  const receipts = facts.map(({ gasUsed, ...fact }, at) => ({
    ...fact,
    ...('depositNonce' in fact && { depositReceiptVersion: '0x1' }),
    ...{
      cumulativeGasUsed: gasUsed,
      logsBloom: bloom,
      transactionHash: transactions[at]?.hash,
      blockHash: hash,
    },
  }));
  return { chainId, block: { ...head, hash, transactions }, receipts, raws, rawReceipts };
}

/** The chain id of Base. */
const chainId = 8453;

/** A number in the form of nodes' answers: without leading zeros. */
function trimNumber(word: Hex): Hex {
  return numberToHex(BigInt(word));
}
