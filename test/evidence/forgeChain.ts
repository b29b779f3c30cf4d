import {
  concatHex,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  parseTransaction,
  size,
  slice,
} from 'viem';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import type { RefusalReason } from '../../src/protocol/evidence/refusal.ts';
import { nameHash } from '../../src/protocol/index.ts';
import { at, list, object, readObject, set, write } from './editJson.ts';
import type { Forgery } from './forgeFiles.ts';
import {
  editRaw,
  forgeReceipt,
  lengthen,
  logOf,
  malleateFields,
  permitLog,
  receiptWithLongLog,
  stepOf,
} from './handMade/alterChain.ts';
import {
  buildDepositedLease,
  type HandMadePermit,
  keeper,
  landlord,
  layout,
  nonceSlot,
  submitter,
  tenant,
} from './handMade/depositedLease.ts';
import { encodeReceipt, encodeWord, type HandMadeChain, signCall } from './handMade/sealChain.ts';

const stranger: Hex = `0x${'5a'.repeat(20)}`;

type Alter = (chain: HandMadeChain) => void;

/** Forged chains: every hash and proof in the file is right, but the history is not genuine. */
export async function forgeChain(): Promise<Forgery[]> {
  const { create, knock, idle, chainId } = await readCalls();
  const unfold = { ...knock, data: encodeUnfoldingInitialization() };
  const [createdByTenant, knockElsewhere, idleInstead, unfolding, legacyKnock] = await Promise.all([
    signCall(tenant, { ...create, nonce: 7, chainId }),
    signCall(landlord, { ...knock, nonce: 7, chainId: 8453 }),
    signCall(landlord, { ...idle, nonce: 7, chainId }),
    signCall(landlord, { ...unfold, nonce: 7, chainId }),
    landlord.signTransaction({ type: 'legacy', ...knock, nonce: 7, chainId, gas: 400_000n, gasPrice: 9n }),
  ]);
  const chains: (readonly [string, RefusalReason, Alter])[] = [
    [
      'an event of another contract',
      'log_mismatch',
      (chain) => {
        logOf(chain, 3).address = stranger;
      },
    ],
    [
      'an event of another factory',
      'log_mismatch',
      (chain) => {
        logOf(chain, 0, 2).address = stranger;
      },
    ],
    [
      'an agreement that is initialised twice',
      'log_mismatch',
      (chain) => void stepOf(chain, 0).logs.push(logOf(chain, 0)),
    ],
    [
      'a call of an action to somebody else',
      'parameters_mismatch',
      (chain) => {
        logOf(chain, 0, 1).topics[3] = pad(stranger);
      },
    ],
    [
      'an input in a receipt that the file does not list',
      'incomplete',
      (chain) => void stepOf(chain, 1).logs.push(logOf(chain, 1)),
    ],
    ['an event without its last topic', 'log_mismatch', (chain) => void logOf(chain, 1).topics.pop()],
    [
      'data of an event that are cut short',
      'log_mismatch',
      (chain) => {
        logOf(chain, 1).data = `0x${logOf(chain, 1).data.slice(2, -64)}`;
      },
    ],
    [
      'an event that speaks of another input’s permit',
      'log_mismatch',
      (chain) => void stepOf(chain, 1).logs.push(permitLog(stepOf(chain, 2))),
    ],
    [
      'a permit’s event of another input',
      'log_mismatch',
      (chain) => {
        permitLog(stepOf(chain, 2)).topics[3] = nameHash('accept');
      },
    ],
    [
      'a permit’s event of another signer',
      'log_mismatch',
      (chain) => {
        permitLog(stepOf(chain, 2)).topics[1] = pad(tenant.address);
      },
    ],
    [
      'a transaction that failed',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).status = '0x0';
      },
    ],
    [
      'a deployment by somebody else',
      'signature_invalid',
      (chain) => {
        stepOf(chain, 0).raw = createdByTenant;
      },
    ],
    [
      'a transaction of another chain',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).raw = knockElsewhere;
      },
    ],
    [
      'a call of another input',
      'call_mismatch',
      (chain) => {
        stepOf(chain, 1).raw = idleInstead;
      },
    ],
    [
      'a call of no input, of 180 kB, that would decode to hundreds of megabytes',
      'call_mismatch',
      (chain) => {
        stepOf(chain, 1).raw = unfolding;
      },
    ],
    [
      'a transaction whose signature has the high form',
      'transaction_invalid',
      (chain) => editRaw(chain, 1, (fields) => malleateFields(fields)),
    ],
    [
      'a transaction with 27 for its parity',
      'transaction_invalid',
      (chain) =>
        editRaw(chain, 1, (fields) => {
          fields[9] = new Uint8Array([27]);
        }),
    ],
    [
      'a transaction whose r starts with nought',
      'transaction_invalid',
      (chain) =>
        editRaw(chain, 1, (fields) => {
          fields[10] = new Uint8Array([0, 1]);
        }),
    ],
    [
      'a transaction without a signature',
      'transaction_invalid',
      (chain) => editRaw(chain, 1, (fields) => void fields.splice(9)),
    ],
    [
      'a transaction of an unknown type',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).raw = `0x05${stepOf(chain, 1).raw.slice(4)}`;
      },
    ],
    [
      'a legacy transaction in an envelope of type nought',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).raw = concatHex(['0x00', legacyKnock]);
      },
    ],
    [
      'a transaction whose length is not written in its shortest form',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).raw = lengthen(stepOf(chain, 1).raw);
      },
    ],
    [
      'a transaction with bytes behind its end',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).raw = `${stepOf(chain, 1).raw}00`;
      },
    ],
    [
      'no transaction at all',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).raw = '0x00';
      },
    ],
    [
      'a deposit in the name of somebody else',
      'replay_refused',
      (chain) =>
        editRaw(chain, 3, (fields) => {
          fields[1] = hexToBytes(landlord.address);
        }),
    ],
    [
      'a deposit with a field more',
      'transaction_invalid',
      (chain) => editRaw(chain, 3, (fields) => void fields.push(new Uint8Array())),
    ],
    [
      'a receipt of another type than its transaction',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 3).type = '0x2';
      },
    ],
    [
      'a receipt of a deposit for a plain transaction',
      'transaction_invalid',
      (chain) => {
        stepOf(chain, 1).type = '0x7e';
      },
    ],
    [
      'a receipt in an envelope of type nought',
      'receipt_proof_invalid',
      (chain) =>
        forgeReceipt(chain, 1, (step) => concatHex(['0x00', encodeReceipt({ ...step, type: '0x0' })])),
    ],
    [
      'a receipt whose log has a fourth part',
      'receipt_proof_invalid',
      (chain) => forgeReceipt(chain, 1, (step) => receiptWithLongLog(step)),
    ],
    [
      'blocks whose times fall',
      'order_invalid',
      (chain) => {
        stepOf(chain, 1).time -= 60;
      },
    ],
    [
      'a permit used after its deadline',
      'replay_refused',
      (chain) => {
        for (const step of chain.steps.slice(2)) step.time += 7_200;
      },
    ],
    [
      'tries keyed by another encoding of the index',
      'transaction_proof_invalid',
      (chain) => {
        chain.keyOf = (index) => new Uint8Array([0, index]);
      },
    ],
    [
      'another last state in the contract',
      'final_state_mismatch',
      ({ storage }) => void storage.set(layout.currentState, encodeWord(nameHash('PAID'))),
    ],
    [
      'another first state in the contract',
      'final_state_mismatch',
      ({ storage }) => void storage.set(layout.initialState, encodeWord(nameHash('PAID'))),
    ],
    [
      'another document in the contract',
      'document_mismatch',
      ({ storage }) => void storage.set(layout.docHash, encodeWord(nameHash('another'))),
    ],
    [
      'a permit of the tenant left out',
      'nonce_mismatch',
      ({ storage }) => void storage.set(nonceSlot(tenant.address), encodeWord('0x1')),
    ],
    [
      'a permit of the landlord left out',
      'nonce_mismatch',
      ({ storage }) => void storage.set(nonceSlot(landlord.address), encodeWord('0x2')),
    ],
    [
      'a stored number that starts with nought',
      'state_proof_invalid',
      ({ storage }) => void storage.set(nonceSlot(landlord.address), '0x820001'),
    ],
    [
      'other code',
      'code_mismatch',
      (chain) => {
        chain.accountTail = [keccak256('0x60806040')];
      },
    ],
    [
      'an account with a fifth field',
      'state_proof_invalid',
      (chain) => {
        chain.accountTail = [...chain.accountTail, '0x01'];
      },
    ],
  ];
  const permits: (readonly [string, RefusalReason, Partial<HandMadePermit>])[] = [
    ['a permit for another chain', 'signature_invalid', { chainId: 59144 }],
    ['a permit for another contract', 'signature_invalid', { contract: stranger }],
    ['a permit that somebody else has signed', 'signature_invalid', { account: submitter }],
    ['a permit that the keeper has signed', 'signature_invalid', { account: keeper }],
    ['a permit with a nonce that is not the next', 'replay_refused', { nonce: 1n }],
    ['a permit with an endless nonce', 'signature_invalid', { nonce: 2n ** 255n, account: tenant }],
    ['a permit that had expired', 'replay_refused', { deadline: 1_700_000_003n }],
  ];
  const forged: Forgery[] = [];
  for (const [name, reason, alter] of chains)
    forged.push({ name, text: await buildDepositedLease({ alter }), reasons: [reason] });
  for (const [name, reason, permit] of permits)
    forged.push({ name, text: await buildDepositedLease({ permit }), reasons: [reason] });
  return [...forged, await forgeAction(), await forgeStateBlock()];
}

/** In a handmade chain, every block has the same state. */
async function forgeStateBlock(): Promise<Forgery> {
  const file = readObject(await buildDepositedLease());
  set(at(file, 'state'), 'block', 1);
  return { name: 'a state of an earlier block', text: write(file), reasons: ['state_proof_invalid'] };
}

/** An event of a call that no rule demands, right before the input's own event. */
async function forgeAction(): Promise<Forgery> {
  const alter = (chain: HandMadeChain) => {
    const { logs } = stepOf(chain, 1);
    const { address, topics } = logOf(chain, 1);
    const [, from = '0x', to = '0x'] = topics;
    const executed = [
      nameHash('ActionExecuted(bytes32,bytes32,bytes32,address)'),
      from,
      to,
      nameHash('knock'),
    ];
    logs.unshift({ address, topics: executed, data: pad(stranger) });
  };
  const file = readObject(await buildDepositedLease({ alter }));
  set(object(list(file, 'inputs')[0]), 'log', 1);
  return { name: 'an event of a call that no rule asks for', text: write(file), reasons: ['log_mismatch'] };
}

/** The calls of the genuine chain, and a call of another input. */
async function readCalls() {
  let raws: Hex[] = [];
  const alter = ({ steps }: HandMadeChain) => {
    raws = steps.map(({ raw }) => raw);
  };
  const { chainId } = at(readObject(await buildDepositedLease({ alter })), 'chain');
  const [create, knock] = raws.slice(0, 2).map((raw) => {
    const { to, data } = parseTransaction(raw);
    if (!to || !data) throw new Error('no call');
    return { to, data };
  });
  if (!create || !knock) throw new Error('there are two');
  const [known, other] = [nameHash('knock').slice(2), nameHash('idle').slice(2)];
  const data: Hex = `0x${knock.data.slice(2).replace(known, other)}`;
  return { create, knock, idle: { ...knock, data }, chainId: Number(chainId) };
}

/** Call data of the engine's `initialize` whose many variables stand in one and the same place. */
function encodeUnfoldingInitialization(): Hex {
  const [count, length] = [2_800, 90_000];
  const hash = nameHash('any');
  const [abi, functionName] = [agreementEngineAbi, 'initialize'] as const;
  const whole = encodeFunctionData({
    ...{ abi, functionName },
    args: [stranger, '', hash, hash, [], [], [], [], []],
  });
  const word = (value: number) => numberToHex(value, { size: 32 });
  const end = size(whole) - 4;
  return concatHex([
    slice(whole, 0, 4 + 6 * 32),
    word(end),
    slice(whole, 4 + 7 * 32),
    word(count),
    ...Array.from({ length: count }, () => word(32 * count)),
    ...[hash, word(1), word(96), word(length), `0x${'ab'.repeat(length)}` as const],
  ]);
}
