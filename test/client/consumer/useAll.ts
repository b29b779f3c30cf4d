import {
  type AgreementState,
  type AgreementSummary,
  AgreementsClient,
  ApiError,
  ConflictError,
  type FollowedEvent,
  metaOf,
  type Page,
  waitForState,
} from 'agreements-client';
import { createSimulation } from 'agreements-client/simulate';
import { deployAgreement, signInput, submitInput } from 'agreements-client/viem';
import { verifyWebhook, type WebhookEvent } from 'agreements-client/webhooks';
import type { LocalAccount, WalletClient } from 'viem';

/** Shows that a caller's compiler knows the package's types; nothing here runs. */
export async function useAll(
  walletClient: WalletClient,
  account: LocalAccount,
  provider: { request(asked: { method: string }): Promise<unknown> },
) {
  const client = new AgreementsClient({
    baseUrl: 'http://127.0.0.1:3000',
    apiKey: 'agk_test_1',
    maxRetries: 1,
  });
  const page: Page<AgreementSummary> = await client.agreements.list({ limit: 1, sort: { createdAt: 'asc' } });
  const agreement = { metadata: { id: 'x' } };
  const deployment = { client, agreement, chainId: 59141, displayName: page.data[0]?.displayName ?? '' };
  const record = await deployAgreement({ ...deployment, walletClient });
  await deployAgreement({ ...deployment, provider });
  const { body } = await signInput({ client, account, agreementId: record.id, inputId: 'x' });
  const { txHash } = await client.agreements.submitInput(record.id, body, { idempotencyKey: 'once' });
  const { status } = await submitInput({
    client,
    walletClient,
    agreementId: record.id,
    inputId: 'x',
    values: { a: 1 },
  });
  const state: AgreementState = await waitForState(
    client,
    record.id,
    ({ acceptedInputs }) => acceptedInputs.length > 0,
  );
  const consistency: string | undefined = metaOf(record)?.consistency;
  for await (const followed of client.events.follow()) {
    const { event, cursor }: FollowedEvent = followed;
    if (event.type === 'agreement.transitioned')
      return [event.data.toState, cursor, txHash, status, state, consistency];
  }
  // @ts-expect-error: there is no such field.
  await client.agreements.list({ colour: 'red' });
  // @ts-expect-error: the chain is missing.
  await deployAgreement({ client, walletClient, agreement, displayName: 'x' });
  const simulation = createSimulation({ agreement });
  if (!simulation.play({ inputId: 'x', by: 'y' }).ok) return simulation.state;
  const verified: WebhookEvent = await verifyWebhook('', new Headers(), 'whsec_1');
  return verified.id;
}

export function explain(error: unknown): string | undefined {
  if (error instanceof ConflictError) return error.reason;
  return error instanceof ApiError ? error.code : undefined;
}
