import { decodeFunctionData, encodeFunctionData, type Hex, numberToHex, parseTransaction } from 'viem';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { at, type JsonObject, list, object, readObject, set, write } from './editJson.ts';
import type { Forgery } from './forgeFiles.ts';
import { logOf, stepOf } from './handMade/alterChain.ts';
import { buildDepositedLease, buildLeaseChain, landlord, tenant } from './handMade/depositedLease.ts';
import { type HandMadeChain, signCall } from './handMade/sealChain.ts';

/**
 * Forged receipts and repeated transactions around genuine signatures: somebody acts twice by one signature,
 * or acts by submitting the permit of somebody else.
 */
export async function forgeSenders(): Promise<Forgery[]> {
  return [
    await repeat('a signed transaction listed twice', 1),
    await repeat('a deposit listed twice', 3),
    await acceptTwice(),
    await useNonceAgain(),
    await hideInputPermit(),
    await hideDeploymentPermit(),
  ];
}

/** The same step again in the next block. Only the receipts and the blocks are the forger's. */
async function repeat(name: string, which: number): Promise<Forgery> {
  const alter = (chain: HandMadeChain) => {
    const step = stepOf(chain, which);
    chain.steps.splice(which + 1, 0, { ...step });
  };
  const file = readObject(await buildDepositedLease({ alter }));
  const inputs = list(file, 'inputs');
  for (const input of inputs) raiseAbove(object(input), which);
  inputs.splice(which, 0, { ...object(inputs[which - 1]), transaction: which + 1 });
  at(file, 'agreement').inputCount = inputs.length;
  return { name, text: write(file), reasons: ['order_invalid'] };
}

function raiseAbove(input: JsonObject, above: number): void {
  if (Number(input.transaction) > above) input.transaction = Number(input.transaction) + 1;
}

async function acceptTwice(): Promise<Forgery> {
  const alter = (chain: HandMadeChain) => void stepOf(chain, 1).logs.push(logOf(chain, 1));
  const file = readObject(await buildDepositedLease({ alter }));
  const inputs = list(file, 'inputs');
  inputs.splice(1, 0, { ...object(inputs[0]), log: 1 });
  at(file, 'agreement').inputCount = inputs.length;
  return { name: 'two inputs by one call', text: write(file), reasons: ['order_invalid'] };
}

/** The landlord's two transactions, both with the first nonce. */
async function useNonceAgain(): Promise<Forgery> {
  const raw = await signAgain(1, 0);
  const alter = (chain: HandMadeChain) => {
    stepOf(chain, 1).raw = raw;
  };
  return {
    ...{ name: 'two transactions with one nonce', text: await buildDepositedLease({ alter }) },
    reasons: ['order_invalid'],
  };
}

/** The landlord's permit, shown as an act of the account that submitted it. */
async function hideInputPermit(): Promise<Forgery> {
  const alter = (chain: HandMadeChain) => void stepOf(chain, 2).logs.pop();
  const file = readObject(
    await buildDepositedLease({
      alter,
      edit: ({ execution }) => void Object.assign(execution.inputs.appoint, { issuer: '' }),
    }),
  );
  set(object(list(file, 'inputs')[1]), 'permit', null);
  const text = write({ ...file, state: null, notes: ['no_state_proof', 'signature_not_readable'] });
  return { name: 'a submitter in the place of a signer', text, reasons: ['call_mismatch'] };
}

/** The tenant's permit for a deployment, shown as the landlord's own deployment. */
async function hideDeploymentPermit(): Promise<Forgery> {
  const { chain } = await buildLeaseChain();
  const { to, data = '0x' } = parseTransaction(stepOf(chain, 0).raw);
  const call = decodeFunctionData({ abi: agreementFactoryAbi, data });
  if (call.functionName !== 'createAgreement' || !to) throw new Error('no creation');
  const word: Hex = numberToHex(1, { size: 32 });
  const permitted = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementWithPermit',
    args: [tenant.address, ...call.args, 1_800_000_000n, 27, word, word],
  });
  const raw = await signCall(landlord, { nonce: 0, chainId: chain.chainId, to, data: permitted });
  const alter = (altered: HandMadeChain) => {
    stepOf(altered, 0).raw = raw;
  };
  return {
    ...{ name: 'a submitter in the place of an owner', text: await buildDepositedLease({ alter }) },
    reasons: ['call_mismatch'],
  };
}

/** A transaction of the landlord, signed again with another nonce. */
async function signAgain(which: number, nonce: number): Promise<Hex> {
  const { chain } = await buildLeaseChain();
  const { to, data } = parseTransaction(stepOf(chain, which).raw);
  if (!to || !data) throw new Error('no call');
  return signCall(landlord, { nonce, chainId: chain.chainId, to, data });
}
