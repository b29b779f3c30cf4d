import { RLP } from '@ethereumjs/rlp';
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { buildInputMessage } from '../../../src/protocol/evidence/evidenceTypedData.ts';
import {
  compileAgreement,
  encodeInputPayload,
  findChain,
  inputTypedData,
  nameHash,
  serializeAgreement,
} from '../../../src/protocol/index.ts';
import { buildLease } from '../../service/support/documents.ts';
import {
  buildDeposit,
  encodeReceipt,
  encodeWord,
  type HandMadeChain,
  proveContract,
  sealChain,
  signCall,
} from './sealChain.ts';

/** The signed content of the landlord's permit, and its signer. */
export type HandMadePermit = {
  readonly account: PrivateKeyAccount;
  readonly chainId: number;
  readonly contract: Hex;
  readonly nonce: bigint;
  readonly deadline: bigint;
};

const chainId = 84532;
const contract: Hex = `0x${'a9'.repeat(20)}`;
const start = 1_700_000_000;
const word = (number: number) => numberToHex(number, { size: 32 });
export const layout = { docHash: word(3), initialState: word(4), currentState: word(5), nonces: word(6) };
export const nonceSlot = (account: Address) => keccak256(`${pad(account)}${layout.nonces.slice(2)}`);

/** The people of the lease, and an account that submits a permit. */
const account = (seed: Hex) => privateKeyToAccount(keccak256(seed));
export const [landlord, tenant, keeper, submitter] = [
  account('0x6c'),
  account('0x74'),
  account('0x6b'),
  account('0x73'),
] as const;

const signatures = {
  deployed: 'AgreementDeployed(address,address,string,bytes32)',
  initialized: 'AgreementInitialized(address,string,bytes32,bytes32)',
  registered: 'ActionRegistered(bytes32,bytes32,address,uint256,bytes)',
  accepted: 'InputAccepted(bytes32,bytes32,bytes32,bytes)',
  permitted: 'InputSubmittedWithPermit(address,address,bytes32)',
};
const [text, hash, bytes] = [{ type: 'string' }, { type: 'bytes32' }, { type: 'bytes' }] as const;

export type LeaseOptions = {
  alter?: (chain: HandMadeChain) => void;
  permit?: Partial<HandMadePermit>;
  edit?: (document: ReturnType<typeof buildLease>) => void;
};

/** The same file, with the chain from which others could take further proofs. */
export async function buildLeaseChain(
  options: LeaseOptions = {},
): Promise<{ text: string; chain: HandMadeChain }> {
  const chains: HandMadeChain[] = [];
  const text = await buildDepositedLease({
    ...options,
    alter(made) {
      options.alter?.(made);
      chains.push(made);
    },
  });
  const [chain] = chains;
  if (!chain) throw new Error('no chain was made');
  return { text, chain };
}

/**
 * An evidence file of a lease on an OP-stack chain, handmade and not from a real chain. The landlord deploys
 * the lease, knocks by a transaction, and appoints a keeper by a permit. The tenant accepts by a deposit from
 * the chain below, which has no signature on this chain. Blocks, tries and state come from viem's encoders
 * and a general trie library.
 *
 * @param alter changes the parts of the chain. Every hash and proof is then right for the altered chain.
 * @param edit changes the document before it is compiled and hashed.
 */
export async function buildDepositedLease(options: LeaseOptions = {}): Promise<string> {
  const { factory, implementation } = findContracts();
  const document = buildLease(`0x${'70'.repeat(20)}`);
  options.edit?.(document);
  const values = { landlord: landlord.address, rent: '5', tenant: tenant.address };
  const parameters = compileAgreement(document, { values });
  const { docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions } = parameters;
  const [owner, depositor] = [lower(landlord.address), lower(tenant.address)];
  const [offered, active] = [nameHash('OFFERED'), nameHash('ACTIVE')];
  const buildInput = (name: string, toState: Hex, given: Record<string, unknown> = {}) => {
    const payload = encodeInputPayload(document, name, given);
    return { inputId: nameHash(name), fromState: offered, toState, payload };
  };
  const knock = buildInput('knock', offered);
  const appoint = buildInput('appoint', offered, { keeper: keeper.address });
  const accept = buildInput('accept', active, { months: '4', remark: 'from below' });
  const permit = await signPermit(appoint, options.permit);

  const create = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreement',
    args: [docUri, docHash, initialState, inputDefs, transitions, initVars, verifiers, actions],
  });
  const submit = ({ inputId, payload }: typeof knock) =>
    encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args: [inputId, payload] });
  const { inputId, payload } = appoint;
  const { deadline, v, r, s } = permit;
  const submitPermit = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [landlord.address, inputId, payload, BigInt(deadline), v, r, s],
  });
  const accepted = (input: typeof knock) => ({
    ...{ address: contract, topics: [nameHash(signatures.accepted), input.fromState, input.toState] },
    data: encodeAbiParameters([hash, bytes], [input.inputId, input.payload]),
  });
  const place = { chainId, to: contract };
  const common = { type: '0x2', status: '0x1' } as const;
  const chain: HandMadeChain = {
    chainId,
    contract,
    steps: [
      {
        ...{ ...common, time: start },
        raw: await signCall(landlord, { nonce: 0, chainId, to: factory, data: create }),
        logs: [
          {
            ...{ address: contract, topics: [nameHash(signatures.initialized), pad(owner)] },
            data: encodeAbiParameters([text, hash, hash], [docUri, docHash, initialState]),
          },
          ...actions.map(({ fromState, inputId: on, target, value, data }) => ({
            ...{
              address: contract,
              topics: [nameHash(signatures.registered), fromState, on, pad(lower(target))],
            },
            data: encodeAbiParameters([{ type: 'uint256' }, bytes], [value, data]),
          })),
          {
            ...{ address: factory, topics: [nameHash(signatures.deployed), pad(contract), pad(owner)] },
            data: encodeAbiParameters([text, hash], [docUri, docHash]),
          },
        ],
      },
      {
        ...{ ...common, time: start + 2, logs: [accepted(knock)] },
        raw: await signCall(landlord, { ...place, nonce: 1, data: submit(knock) }),
      },
      {
        ...{ ...common, time: start + 4 },
        raw: await signCall(submitter, { ...place, nonce: 9, data: submitPermit }),
        logs: [
          accepted(appoint),
          {
            address: contract,
            topics: [nameHash(signatures.permitted), pad(owner), pad(lower(submitter.address)), inputId],
            data: '0x',
          },
        ],
      },
      {
        ...{ type: '0x7e', status: '0x1', time: start + 6, logs: [accepted(accept)] },
        raw: buildDeposit({ from: depositor, to: contract, data: submit(accept) }),
      },
    ],
    storage: new Map([
      [layout.docHash, encodeWord(docHash)],
      [layout.initialState, encodeWord(offered)],
      [layout.currentState, encodeWord(active)],
      [nonceSlot(owner), encodeWord('0x1')],
    ]),
    accountTail: [
      keccak256(`0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`),
    ],
    keyOf: RLP.encode,
    encodeReceipt,
  };
  options.alter?.(chain);
  const signers = [owner, depositor, lower(keeper.address)].sort();
  const { stateRoot, ...state } = await proveContract(chain, [
    ...(['docHash', 'initialState', 'currentState'] as const).map((of) => ({ of, slot: layout[of] })),
    ...signers.map((of) => ({ of, slot: nonceSlot(of) })),
  ]);
  const sealed = await sealChain(chain, stateRoot);
  const file = {
    format: 'agreement-evidence/1',
    made: { at: '2026-01-02T03:04:05.678Z', by: 'https://agreements.example', software: 'by hand' },
    chain: { chainId, factory, implementation },
    agreement: {
      ...{ address: contract, owner, docUri, docHash, initialState: offered, currentState: active },
      inputCount: 3,
    },
    document: {
      text: serializeAgreement(document),
      values: Object.entries(values).map(([name, value]) => ({ name, value })),
    },
    notes: ['signature_not_readable'],
    blocks: sealed.map(({ block }) => block),
    transactions: sealed.map(({ transaction }) => transaction),
    deployment: { transaction: 0, log: actions.length + 1, permit: null },
    inputs: [knock, appoint, accept].map((input, at) => ({
      ...{ transaction: at + 1, log: 0, ...input, permit: input === appoint ? permit : null },
    })),
    state: { block: sealed.length - 1, layout, ...state },
  };
  return `${JSON.stringify(file)}\n`;
}

async function signPermit(
  { inputId, payload }: { inputId: Hex; payload: Hex },
  forged: Partial<HandMadePermit> = {},
) {
  const right = { account: landlord, chainId, contract, nonce: 0n, deadline: BigInt(start + 3_600) };
  const signed = { ...right, ...forged };
  const { nonce, deadline } = signed;
  const typed = inputTypedData({
    ...{ chainId: signed.chainId, agreementAddress: signed.contract, inputId, payload, nonce, deadline },
  });
  const signature = await signed.account.signTypedData(typed);
  const core = {
    ...{ signer: lower(landlord.address), nonce: String(nonce), deadline: String(deadline) },
    v: Number(`0x${signature.slice(-2)}`),
    r: `0x${signature.slice(2, 66)}` as const,
    s: `0x${signature.slice(66, 130)}` as const,
  };
  const { typedData } = buildInputMessage(core, { chainId, agreement: contract, inputId, payload });
  return { ...core, typedData };
}

function findContracts() {
  const facts = findChain(chainId);
  if (!facts) throw new Error('the chain is not supported');
  return { factory: lower(facts.factory), implementation: lower(facts.implementation) };
}

function lower(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
