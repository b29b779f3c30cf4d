import { randomUUID } from 'node:crypto';
import { type Address, encodeFunctionData, type Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import type { AgreementsClient } from '../../../client/src/index.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import type { AgreementLimits } from '../../../src/protocol/documentLimits.ts';
import { encodeInputPayload, nameHash, parseAddress } from '../../../src/protocol/index.ts';
import { signDeployPermit } from '../../support/permits.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** The data of the hostile principal, as large as allowed. Its reads and later writes use them. */
export type WorstWorld = {
  readonly client: AgreementsClient;
  readonly account: PrivateKeyAccount;
  readonly record: { readonly id: string; readonly address: Address; readonly documentId: string };
  readonly agreement: Record<string, unknown>;
  /** Values of its input, as large as allowed. */
  readonly values: Record<string, string>;
};

const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

/** One input with as many fields as allowed; anybody may send it any number of times. */
export function buildWideAgreement(limits: AgreementLimits): Record<string, unknown> {
  const name = (at: number) => `v${at}`;
  const field = { type: 'string', validation: { required: false } };
  const fields = Object.fromEntries(times(limits.fieldsPerInput, (at) => [name(at), field]));
  const texts = limits.variables - 1;
  const variables = {
    ...Object.fromEntries(times(texts, (at) => [name(at), field])),
    party: { type: 'address', subtype: 'participant', validation: { required: true } },
  };
  const table = times(texts, (at) => `|${name(at)}|\n|-|\n|\${variables.${name(at)}}|\n\n`);
  return {
    metadata: { templateId: 'did:template:wide' },
    variables,
    content: { type: 'md', data: table.join('') },
    execution: {
      initialize: { initialState: 'A', data: { party: `\${variables.party}` } },
      states: { A: {}, B: {} },
      inputs: { go: { data: fields } },
      transitions: [
        { from: 'A', to: 'B', conditions: [{ input: 'go' }] },
        { from: 'B', to: 'A', conditions: [{ input: 'go' }] },
      ],
    },
  };
}

/** Deploys an agreement with a permit, and waits until it is on the chain. */
export async function deployAs(
  stack: ServiceStack,
  options: {
    client: AgreementsClient;
    baseUrl: string;
    account: PrivateKeyAccount;
    agreement: Record<string, unknown>;
    notificationTemplate?: Record<string, unknown>;
    observers?: string[];
    /** The only participant, if there is one. */
    party?: Address;
  },
) {
  const { client, baseUrl, account, agreement, party, ...details } = options;
  const documentId = randomUUID();
  const docUri = `${baseUrl}/v0/agreements/documents/${documentId}`;
  const { chainId, factory, reader } = stack;
  const permit = await signDeployPermit({
    client: reader,
    chainId,
    factory,
    agreement,
    docUri,
    values: party === undefined ? {} : { party },
    account,
  });
  const participants = party === undefined ? [] : [{ variableKey: 'party', walletAddress: party }];
  const body = { agreement, chainId, docUri, documentId, displayName: 'worst', participants, ...details };
  const { id } = await client.agreements.deployWithPermit({ ...body, ...permit });
  const address = await waitUntil('the agreement is deployed', async () =>
    parseAddress((await client.agreements.get(id)).address),
  );
  return { id, address, documentId };
}

/**
 * Deploys the widest agreement, and sends this many inputs with the largest values directly to its contract.
 */
export async function createWorstWorld(
  stack: ServiceStack,
  options: { baseUrl: string; apiKey: string; limits: AgreementLimits; valueBytes: number; inputs: number },
): Promise<WorstWorld> {
  const { baseUrl, apiKey, limits, valueBytes, inputs } = options;
  const client = createSingleCallClient({ baseUrl, apiKey });
  const account = privateKeyToAccount(generatePrivateKey());
  const agreement: Record<string, unknown> = buildWideAgreement(limits);
  const party = account.address;
  const record = await deployAs(stack, { client, baseUrl, account, agreement, party });
  const each = Math.floor(valueBytes / limits.fieldsPerInput);
  const values = Object.fromEntries(times(limits.fieldsPerInput, (at) => [`v${at}`, 'é'.repeat(each / 2)]));
  const payload = encodeInputPayload(agreement, 'go', values);
  for (let count = 0; count < inputs; count++) await submitDirectly(stack, record.address, payload);
  await stack.awaitFolded();
  return { client, account, record, agreement, values };
}

/** Sends an input without the service, from an account that the chain's node unlocks. */
export async function submitDirectly({ client }: ServiceStack, to: Address, payload: Hex): Promise<void> {
  const [account] = await client.getAddresses();
  if (account === undefined) throw new Error('the node unlocks no account');
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash('go'), payload],
  });
  // Sets the gas itself: an estimate would take the node as long again.
  const hash = await client.sendTransaction({ account, chain: null, to, data, gas: 25_000_000n });
  const { status } = await awaitReceipt(client, hash);
  if (status !== 'success') throw new Error('an input of the hostile principal reverted');
}
