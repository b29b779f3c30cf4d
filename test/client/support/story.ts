/** The connection data of a story. A story needs nothing from Node. */
export type StoryPlace = { readonly baseUrl: string; readonly apiKey: string; readonly privateKey: string };

/**
 * The source of a module that deploys an agreement, moves it, reads its event and verifies a webhook with the
 * packed client. It exports `tell`, which resolves with a summary of the results.
 */
export const story = `
import { AgreementsClient, NotFoundError, waitForState } from 'agreements-client';
import { deployAgreement, submitInput } from 'agreements-client/viem';
import { createSimulation } from 'agreements-client/simulate';
import { verifyWebhook } from 'agreements-client/webhooks';
import { privateKeyToAccount } from 'viem/accounts';

const agreement = {
  metadata: { id: 'did:example:runtimes', name: 'Runtimes' },
  variables: {},
  content: { type: 'md', data: '# Runtimes' },
  execution: {
    initialize: { initialState: 'A', data: {} },
    states: { A: {}, B: {} },
    inputs: { go: { data: { note: { type: 'string' } } } },
    transitions: [{ from: 'A', to: 'B', conditions: [{ input: 'go' }] }],
  },
};

export async function tell({ baseUrl, apiKey, privateKey }) {
  const client = new AgreementsClient({ baseUrl, apiKey });
  const account = privateKeyToAccount(privateKey);
  const seen = [];
  const simulation = createSimulation({ agreement });
  seen.push(simulation.play({ inputId: 'go', by: account.address, values: { note: 'ä' } }).toState);
  const { id } = await deployAgreement({ client, account, agreement, chainId: 59141, displayName: 'Runtimes' });
  const { status } = await submitInput({ client, account, agreementId: id, inputId: 'go', values: { note: 'ä' } });
  seen.push(status, (await waitForState(client, id, 'B')).state);
  for await (const { event } of client.events.follow({ pollMs: 50 }))
    if (event.data.agreementId === id && event.data.toState === 'B') break;
  seen.push('event');
  await client.agreements.get('agr_unknown').catch((error) => seen.push(error instanceof NotFoundError ? error.code : error));
  await verifyWebhook('{}', new Headers(), 'whsec_' + '0'.repeat(64)).catch((error) => seen.push(error.reason));
  return seen.join(' ');
}
`;

/** The story's expected result. */
export const moral = 'B MINED B event not_found missing_headers';
