import { startWorkedService } from '../../support/chainService.ts';
import { deployLease } from '../../support/leases.ts';
import { releaseTransitions } from '../../support/releaseTransitions.ts';
import { insertDelivery } from '../../support/storedDeliveries.ts';
import { createWebhook } from '../../support/webhooks.ts';
import type { References } from './askRoute.ts';
import { enter, makePortalLink, makeSigningLink, mark, prepareDraft } from './credentials.ts';
import { listCallers } from './listCallers.ts';

export type CallerScene = Awaited<ReturnType<typeof startCallerScene>>;

/**
 * A principal with one of everything, and the callers that try to reach it. The caller of this function
 * closes it.
 */
export async function startCallerScene() {
  const service = await startWorkedService({
    DEPLOY_WAIT_MS: '1',
    SIGNING_WAIT_MS: '1',
    CONSISTENCY_WAIT_MS: '1',
    WEBHOOK_TIMEOUT_MS: '1',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8',
    SESSIONS_MAX: '1000',
  });
  const { principal: owner } = service;
  const shared = await deployLease(owner, service);
  // The second agreement of a new factory has the address that the document's examples use.
  await deployLease(owner, service);
  const hidden = await deployLease(owner, service);
  await service.service.handle.pool.query('update service.records set display_name = $2 where id = $1', [
    hidden.id,
    `${mark} hidden`,
  ]);
  await owner.call('PATCH', `/v0/agreements/${shared.id}`, { body: { participantAccess: 'sign' } });
  const webhook = await createWebhook(service.service, { url: `http://127.0.0.1:9/${mark}` }, owner);
  const delivery = await insertDelivery(service.service, webhook, { status: 'failed', attempts: 1 });
  const [event = ''] = await releaseTransitions(service.service, owner, 2);
  const session = await enter(service, owner, { label: `${mark} session` });
  const portal = await makePortalLink(owner);
  const link = await makeSigningLink(owner, hidden.id, { may: 'read', note: `${mark} note` });
  const draft = await prepareDraft(owner, hidden, `${mark} draft`);
  const { rows } = await service.service.handle.pool.query<{ document_id: string }>(
    'select document_id from service.records where id = $1',
    [hidden.id],
  );
  const paths = {
    '/v0/agreements/drafts/': draft,
    '/v0/agreements/': hidden.id,
    '/v0/agreements/*/links/': link.id,
    '/v0/agreements/documents/': rows[0]?.document_id ?? '',
    '/v0/webhooks/': webhook.id,
    '/v0/webhooks/*/deliveries/': delivery,
    '/v0/sessions/': session.id,
    '/v0/sessions/links/': portal.id,
  };
  const references: References = { paths, queries: { agreementId: hidden.id } };
  const ofAll = [mark, owner.id, owner.name, hidden.address, event, ...Object.values(paths)];
  return {
    service: service.service,
    references,
    /** The same references, but for the agreement that is open to guests. */
    sharedReferences: { paths, queries: { agreementId: shared.id } },
    /** Texts that a caller must not be told, by what it may see. */
    canaries: { nothing: [...ofAll, shared.id, shared.address], 'one agreement': ofAll, all: [] },
    owner,
    listCallers: () => listCallers(service, { owner, shared, hidden }),
    /** Everything stored for the owner, except times of use. */
    async readStored() {
      const tables = [
        'records',
        'webhook_subscriptions',
        'sessions',
        'portal_links',
        'signing_links',
        'deliveries',
      ];
      const ids = [...Object.values(paths), hidden.id, shared.id];
      const found = await Promise.all(
        tables.map((table) =>
          service.service.handle.pool.query(
            `select to_jsonb(t) - 'last_used_at' - 'expires_at' as row from service.${table} t where id = any($1) order by id`,
            [ids],
          ),
        ),
      );
      return Object.fromEntries(tables.map((table, at) => [table, found[at]?.rows]));
    },
    close: service.close,
  };
}
