import { type Address, concat, type Hex, keccak256, toHex } from 'viem';
import { inputContentHash } from '../../../../src/platform/database/contentHash.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { createId } from '../../../../src/platform/database/ids.ts';
import { principals } from '../../../../src/platform/database/tables/access.ts';
import { inputs } from '../../../../src/platform/database/tables/inputs.ts';
import { records } from '../../../../src/platform/database/tables/records.ts';
import { transactions } from '../../../../src/platform/database/tables/transactions.ts';
import { nameHash } from '../../../../src/protocol/names.ts';
import { payloadOf, uniqueHash } from './chain.ts';
import { type Lamp, type LampInput, lampVariables } from './lamp.ts';

/** In seconds; far later than the chain's time in any test. */
export const farDeadline = 4_000_000_000n;

export async function insertPrincipal(database: Database): Promise<string> {
  const id = createId('prn');
  await database.insert(principals).values({ id, name: id });
  return id;
}

export type Permit = {
  chainId: number;
  contract: Address;
  signer: Address;
  nonce: bigint;
  deadline?: bigint;
};

/** Inserts the row that the API stores when it accepts a permit. */
export async function insertTransaction(
  database: Database,
  permit: Permit & { kind: 'deploy' | 'input'; contentHash: Hex },
): Promise<string> {
  const id = createId('txn');
  await database.insert(transactions).values({
    id,
    chainId: permit.chainId,
    kind: permit.kind,
    contract: permit.contract,
    signer: permit.signer,
    permitNonce: permit.nonce,
    permitDigest: keccak256(concat([uniqueHash(), toHex(id)])),
    contentHash: permit.contentHash,
    deadline: permit.deadline ?? farDeadline,
    callData: '0x',
  });
  return id;
}

export async function insertRecord(
  database: Database,
  record: {
    principalId: string;
    chainId: number;
    lamp: Lamp;
    deployTransactionId?: string;
    /** For a record requested by address. */
    address?: Address;
    /** The identity of the agreement there. */
    creation?: string | undefined;
  },
): Promise<string> {
  const id = createId('agr');
  await database.insert(records).values({
    id,
    principalId: record.principalId,
    chainId: record.chainId,
    status: 'Draft',
    displayName: 'A lamp',
    document: record.lamp.text,
    docHash: record.lamp.docHash,
    templateId: 'did:template:lamp',
    docUri: record.lamp.docUri,
    participants: [],
    observers: [],
    contributors: [],
    initialVariables: lampVariables,
    variables: lampVariables,
    deployTransactionId: record.deployTransactionId ?? null,
    address: record.address ?? null,
    adoptedCreation: record.creation ?? null,
  });
  return id;
}

export async function insertSubmission(
  database: Database,
  submission: {
    principalId: string;
    recordId: string;
    chainId: number;
    agreement: Address;
    lamp: Lamp;
    input: LampInput;
    transactionId: string;
    signer: Address;
  },
): Promise<string> {
  const id = createId('inp');
  await database.insert(inputs).values({
    id,
    recordId: submission.recordId,
    chainId: submission.chainId,
    agreementAddress: submission.agreement,
    inputId: submission.input.name,
    status: 'PENDING',
    userId: submission.principalId,
    transactionId: submission.transactionId,
    signer: submission.signer,
    payload: payloadOf(submission.lamp, submission.input),
    values: submission.input.values,
  });
  return id;
}

export function contentHashOf(lamp: Lamp, input: LampInput): Hex {
  return inputContentHash({ inputId: nameHash(input.name), payload: payloadOf(lamp, input) });
}
