import { describe, expect, test } from 'vitest';
import { ConflictError, metaOf, NotFoundError, UnauthorizedError } from '../../client/src/index.ts';
import { verifyEvidence } from '../../client/src/verify/index.ts';
import { deployAgreement, signDeployment, signInput } from '../../client/src/viem/index.ts';
import { deployPingPong, describeMural, mural, pingPong } from './support/agreements.ts';
import { chainId, createAccount, createClient } from './support/stack.ts';

const client = createClient();
const patron = createAccount();
const artist = createAccount();
const deployment = describeMural({ patron, artist });
const { displayName: _name, ...preflight } = deployment;

const deployed = deployPingPong();
const receiver = 'http://127.0.0.1:9/operations';
const subscribed = client.webhooks.create({ url: receiver, filters: { agreementIds: ['none'] } });

/** Calls each operation of the running service once. The tests depend on each other, from top to bottom. */
describe('the running service answers', () => {
  test('validateTemplate', async () => {
    expect(await client.agreements.validateTemplate(mural)).toMatchObject({
      templateId: 'did:template:mural-commission',
      participantVariableKeys: ['patron', 'artist'],
    });
  });

  test('validateDeployment', async () => {
    const report = await client.agreements.validate(preflight);
    expect(report).toMatchObject({ variables: { wallSquareMetres: '84', artist: artist.address } });
  });

  test('makeDeployTypedData', async () => {
    const signable = await client.agreements.makeDeployTypedData({ ...preflight, signer: patron.address });
    expect(signable).toMatchObject({ primaryType: 'PermitAgreementWithActions', verdict: { ok: true } });
  });

  test('deployWithPermit, to which the same key gives the same answer', async () => {
    const { body } = await signDeployment({ client, account: patron, ...deployment });
    const idempotencyKey = crypto.randomUUID();
    const record = await client.agreements.deployWithPermit(body, { idempotencyKey });
    expect(record).toMatchObject({ status: 'Deployed', owner: patron.address });
    const again = await client.agreements.deployWithPermit(body, { idempotencyKey });
    expect([again.id, metaOf(again)?.requestId]).toEqual([record.id, metaOf(again)?.requestId]);
  });

  test('importAgreement, which is refused for an agreement that is already managed', async () => {
    const { address = '', displayName } = await deployed;
    const importing = client.agreements.import({ chainId, address, agreement: pingPong, displayName });
    await expect(importing).rejects.toMatchObject({ code: 'conflict', reason: 'already_managed' });
    await expect(importing).rejects.toBeInstanceOf(ConflictError);
  });

  test('makeInputTypedData', async () => {
    const { id, address } = await deployed;
    const { address: signer } = patron;
    const body = { inputId: 'hit', values: { note: 'x' }, signer };
    const signable = await client.agreements.makeInputTypedData(address ?? '', body, { chainId });
    expect(signable.domain.verifyingContract).toBe((await client.agreements.get(id)).address);
  });

  test('submitInput', async () => {
    const { id: agreementId } = await deployed;
    const { body } = await signInput({
      client,
      account: patron,
      agreementId,
      inputId: 'hit',
      values: { note: 'x' },
    });
    const input = await client.agreements.submitInput(agreementId, body);
    expect(input).toMatchObject({ agreementId, inputId: 'hit', signer: patron.address });
  });

  test('previewNotifications', async () => {
    const { id } = await deployed;
    const preview = await client.agreements.previewNotifications(id, { transition: { inputId: 'hit' } });
    expect(preview.rules).toEqual([]);
  });

  test('listAgreements, page by page and all of them', async () => {
    // Other tests deploy for the same principal meanwhile.
    const unique = crypto.randomUUID();
    for (const displayName of [`${unique} one`, `${unique} two`])
      await deployAgreement({ client, account: patron, agreement: pingPong, chainId, displayName });
    const displayName = { startsWith: unique };
    const sort = { createdAt: 'desc' } as const;
    const page = await client.agreements.list({ limit: 1, sort, chainId });
    expect(page.data).toHaveLength(1);
    const walked: string[] = [];
    const filters = { displayName, createdAt: { gte: new Date(0) } };
    for await (const { id } of client.agreements.list({ limit: 1, sort, ...filters })) walked.push(id);
    expect(walked).toHaveLength(2);
    const together = await client.agreements.list({ limit: 2, sort, displayName });
    expect(walked).toEqual(together.data.map(({ id }) => id));
  });

  test('getAgreement', async () => {
    const { id, address = '' } = await deployed;
    expect(await client.agreements.get(address, { chainId })).toMatchObject({ id, json: pingPong });
  });

  test('getAgreementState', async () => {
    const { id } = await deployed;
    expect(await client.agreements.getState(id)).toMatchObject({ status: 'Deployed', state: 'PONG' });
  });

  test('listAgreementInputs', async () => {
    const { id } = await deployed;
    const { data } = await client.agreements.listInputs(id, { inputId: 'hit', status: 'MINED' });
    expect(data).toMatchObject([{ values: { note: 'x' } }]);
  });

  test('getAgreementEvidence, which holds', async () => {
    const { id } = await deployed;
    expect(await verifyEvidence(await client.agreements.readEvidence(id))).toMatchObject({
      ok: true,
      level: 'included',
    });
  });

  test('getAgreementDocument, as a resource and as text', async () => {
    const { documentId = '' } = await deployed;
    expect(await client.documents.get(documentId)).toMatchObject({ documentId, content: '# Ping pong' });
    expect(await client.documents.getText(documentId, 'markdown')).toBe('# Ping pong');
    expect(await client.documents.getText(documentId, 'html')).toContain('<h1>Ping pong</h1>');
  });

  test('createWebhook', async () => {
    expect(await subscribed).toMatchObject({ url: receiver, secret: expect.stringMatching(/^whsec_/) });
  });

  test('listWebhooks', async () => {
    const { id } = await subscribed;
    const ids: string[] = [];
    for await (const webhook of client.webhooks.list({ status: 'active' })) ids.push(webhook.id);
    expect(ids).toContain(id);
  });

  test('getWebhook', async () => {
    const { id } = await subscribed;
    expect(await client.webhooks.get(id)).toMatchObject({ id, url: receiver, status: 'active' });
  });

  test('updateWebhook', async () => {
    const { id } = await subscribed;
    const eventTypes = ['agreement.notification.triggered'] as const;
    expect(await client.webhooks.update(id, { eventTypes: [...eventTypes] })).toMatchObject({ eventTypes });
  });

  test('testWebhook, listWebhookDeliveries and redeliverWebhook', async () => {
    const { id } = await subscribed;
    const { ok, deliveryId } = await client.webhooks.test(id);
    expect(ok).toBe(false);
    const { data } = await client.webhooks.listDeliveries(id);
    expect(data.map((delivery) => delivery.id)).toEqual([deliveryId]);
    expect(await client.webhooks.redeliver(id, deliveryId)).toMatchObject({ id: deliveryId });
  });

  test('recoverWebhook', async () => {
    const { id } = await subscribed;
    const { hasMore } = await client.webhooks.recover(id, { since: new Date().toISOString() });
    expect(hasMore).toBe(false);
  });

  test('rotateWebhookSecret', async () => {
    const { id, secret } = await subscribed;
    const rotated = await client.webhooks.rotateSecret(id, { graceSeconds: 0 });
    expect(rotated.secret).not.toBe(secret);
  });

  test('disableWebhook', async () => {
    const { id } = await subscribed;
    expect(await client.webhooks.disable(id)).toMatchObject({ status: 'disabled' });
  });

  test('listEvents, to the end of the feed', async () => {
    const { id } = await deployed;
    const seen: string[] = [];
    for await (const event of client.events.list({ limit: 2 }))
      if (event.type === 'agreement.transitioned' && event.data.agreementId === id)
        seen.push(event.data.toState);
    expect(seen).toEqual(['PING', 'PONG']);
  });

  test('streamEvents, until the caller has had enough', async () => {
    const enough = new AbortController();
    const stream = await client.events.openStream({}, { signal: enough.signal });
    const { value } = await stream.getReader().read();
    expect(new TextDecoder().decode(value)).toMatch(/^id: /);
    enough.abort();
  });

  test('createSession, listSessions, revokeSession and getCurrentSession', async () => {
    const session = await client.sessions.create({ label: 'client' });
    const { data } = await client.sessions.list();
    expect(data.map(({ id }) => id)).toContain(session.id);
    expect(await client.sessions.revoke(session.id)).toMatchObject({ endedAt: expect.any(String) });
    expect((await client.sessions.current()).session).toBeUndefined();
    await expect(client.sessions.end()).rejects.toBeInstanceOf(NotFoundError);
  });

  test('createPortalLink, previewPortalLink, listPortalLinks and revokePortalLink', async () => {
    const { id, url } = await client.sessions.createLink();
    expect(url).toContain('/console/enter#agp_');
    const { data } = await client.sessions.listLinks();
    expect(data.map((link) => link.id)).toContain(id);
    const page = createClient({ apiKey: undefined, session: true });
    const { principal } = await client.sessions.current();
    const link = new URL(url).hash.slice(1);
    expect(await page.sessions.previewLink({ link })).toMatchObject({ principal, isNarrowed: false });
    expect(await client.sessions.revokeLink(id)).toMatchObject({ endedAt: expect.any(String) });
  });

  test('createSigningLink, which opens one agreement, listSigningLinks and revokeSigningLink', async () => {
    const { id: agreementId } = await deployed;
    const { id, url } = await client.links.create(agreementId, { may: 'read', expiresInSeconds: 60 });
    const link = new URL(url).hash.slice(1);
    const guest = createClient({ apiKey: undefined, link });
    expect(await guest.shared.get()).toMatchObject({ id: agreementId, access: { may: 'read' } });
    expect(await guest.shared.getState()).toMatchObject({ status: 'Deployed' });
    expect(await guest.shared.getDocument()).toMatchObject({ agreementId });
    expect((await guest.shared.listInputs({ limit: 1 })).data).toHaveLength(1);
    expect(await verifyEvidence(await guest.shared.readEvidence())).toMatchObject({ ok: true });
    const unsigned = { inputId: 'hit', values: {}, signer: patron.address };
    await expect(guest.shared.makeInputTypedData(unsigned)).rejects.toMatchObject({ code: 'forbidden' });
    const { data } = await client.links.list(agreementId);
    expect(data[0]).toMatchObject({ id, uses: [{ kind: 'evidence' }, { kind: 'opened' }] });
    await client.links.revoke(agreementId, id);
    await expect(guest.shared.get()).rejects.toBeInstanceOf(UnauthorizedError);
  });

  test('getHealth, getOpenApi and getDocs, without a key', async () => {
    const anyone = createClient({ apiKey: undefined });
    expect(await anyone.system.health()).toMatchObject({ status: 'ok' });
    expect(await anyone.system.openApi()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    expect(await anyone.system.docs()).toContain('<html');
    expect(await anyone.system.evidenceSchema()).toMatchObject({ title: 'agreement-evidence/1' });
  });
});

describe("a refusal has its class and the service's message", () => {
  test.each([
    ['a missing key', createClient({ apiKey: undefined }), UnauthorizedError, 'unauthorized'],
    ['a wrong key', createClient({ apiKey: 'agk_test_wrong' }), UnauthorizedError, 'unauthorized'],
  ] as const)('%s', async (_, other, Class, code) => {
    const error = await other.agreements.get('agr_1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ code, status: 401, requestId: expect.stringMatching(/^req_/) });
  });

  test('an unknown resource, and one that is invalid', async () => {
    await expect(client.agreements.get('agr_unknown')).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.agreements.validateTemplate({})).rejects.toMatchObject({
      code: 'bad_request',
      reason: 'invalid_agreement',
      details: { issues: expect.arrayContaining([expect.objectContaining({ path: expect.any(String) })]) },
    });
  });
});
