import { type Address, getAddress } from 'viem';
import type { Creation } from '../../../../src/records/agreements/sameAgreement.ts';
import { createLamp, type Lamp, type LampInput } from './lamp.ts';
import * as service from './serviceRows.ts';

export const signers = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000b2',
].map((address) => getAddress(address));
export const submitter = getAddress('0x00000000000000000000000000000000000000c3');
export const lamps = [createLamp('one'), createLamp('two')];
export const lampInputs: LampInput[] = [
  { name: 'toggle', values: { brightness: '5' } },
  { name: 'toggle', values: { brightness: '9' } },
  { name: 'annotate', values: { remark: 'bright' } },
  { name: 'hand_over', values: { holder: getAddress('0x00000000000000000000000000000000000000b2') } },
];

export type PermitRow = {
  transactionId: string;
  contract: Address;
  signer: Address;
  nonce: number;
  content: string;
  deadline: number;
  event: { kind: 'deploy'; lamp: Lamp } | { kind: 'input'; agreement: Address; input: LampInput };
};
export type RecordRow = {
  id: string;
  principalId: string;
  lamp: Lamp;
  permit?: PermitRow;
  address?: Address;
  /** The identity of the agreement that it adopts; undefined: any of its document. */
  creation?: string | undefined;
};

/** Whether a record adopts an agreement of this document and creation. */
export function isOf(
  { lamp, creation }: RecordRow,
  there: { lamp: Lamp; creation?: Creation | undefined },
): boolean {
  const { transactionHash, permitCreation } = there.creation ?? {};
  const isSame = creation === undefined || creation === transactionHash || creation === permitCreation;
  return there.lamp.docHash === lamp.docHash && isSame;
}
export type SubmissionRow = { id: string; recordId: string; permit: PermitRow };

export const pick = <T>(list: readonly T[], number: number): T | undefined => list[number % list.length];
export const farDeadline = Number(service.farDeadline);
