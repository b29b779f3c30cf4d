import { expect } from 'vitest';
import { z } from 'zod';
import { newPortalLinkShape } from '../../../../src/api/shapes/sessionShapes.ts';
import { newSigningLinkShape } from '../../../../src/api/shapes/sharingShapes.ts';
import { walletChallengeShape } from '../../../../src/api/shapes/walletShapes.ts';
import { createBrowser } from '../../sessions/support/browser.ts';
import type { WorkedService } from '../../support/chainService.ts';
import type { Lease } from '../../support/leases.ts';
import type { createAccount } from '../../support/permits.ts';
import type { TestPrincipal } from '../../support/testService.ts';

/** Part of every label and name that only its owner may read. */
export const mark = 'canary';
const idShape = z.object({ id: z.string() });

export async function enter({ service }: WorkedService, { key }: TestPrincipal, body: object = {}) {
  const browser = createBrowser(service.baseUrl);
  const answer = await browser.call('POST', '/v0/sessions', { body, headers: { 'x-api-key': key } });
  expect(answer.status).toBe(200);
  return { id: idShape.parse(answer.body.data).id, cookie: browser.cookie() };
}

export async function login({ service }: WorkedService, account: ReturnType<typeof createAccount>) {
  const browser = createBrowser(service.baseUrl);
  const made = await browser.call('POST', '/v0/wallet/challenges', { body: { wallet: account.address } });
  const { id: challengeId, message } = walletChallengeShape.parse(made.body.data);
  const body = { challengeId, signature: await account.signMessage({ message }) };
  expect((await browser.call('POST', '/v0/wallet/sessions', { body })).status).toBe(200);
  return { ...browser, former: browser.cookie() };
}

export async function makePortalLink({ call }: TestPrincipal) {
  const answer = await call('POST', '/v0/sessions/links', { body: { label: `${mark} link` } });
  const { id, url } = newPortalLinkShape.parse(answer.body.data);
  return { id, secret: new URL(url).hash.slice(1) };
}

export async function makeSigningLink({ call }: TestPrincipal, agreementId: string, body: object) {
  const answer = await call('POST', `/v0/agreements/${agreementId}/links`, { body });
  const { id, url } = newSigningLinkShape.parse(answer.body.data);
  return { id, secret: new URL(url).hash.slice(1) };
}

export async function prepareDraft({ call }: TestPrincipal, lease: Lease, displayName: string) {
  const { agreement, landlord, tenant } = lease;
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
  const body = { agreement, displayName, chainId: 59_141, initValues: values };
  const answer = await call('POST', '/v0/agreements/drafts', { body: { ...body, signer: landlord.address } });
  return idShape.parse(answer.body.data).id;
}
