import { revokeKey } from '../../../../src/records/principals/apiKeys.ts';
import { scopes } from '../../../../src/records/principals/scopes.ts';
import type { WorkedService } from '../../support/chainService.ts';
import type { Lease } from '../../support/leases.ts';
import { createAccount } from '../../support/permits.ts';
import type { TestPrincipal } from '../../support/testService.ts';
import { enter, login, makePortalLink, makeSigningLink, prepareDraft } from './credentials.ts';
import * as open from './openRoutes.ts';

export type Caller = {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Routes that are open to it. */
  readonly may: readonly string[];
  /** The data that it may see: all of the owner's, one agreement's, or none. */
  readonly sees: 'all' | 'one agreement' | 'nothing';
  readonly wallet?: string;
  /** Whether it acts for the owner: then its open routes also work by id. */
  readonly isOwner?: boolean;
};

const page = { 'x-agreements-session': '1' };
const principals = [...open.forEveryPrincipal, ...open.forWholeSessions];
const everyScope = Object.values(open.byScope).flat();

type Owned = { readonly owner: TestPrincipal; readonly shared: Lease; readonly hidden: Lease };

/** All callers that may try to reach the owner's data, each with fresh credentials. */
export async function listCallers(scene: WorkedService, { owner, shared, hidden }: Owned): Promise<Caller[]> {
  const { service } = scene;
  const { pool, database } = service.handle;
  const keyOf = ({ key }: TestPrincipal) => ({ ...page, 'x-api-key': key });
  const stranger = await service.createPrincipal();
  const powerless = await service.createPrincipal([]);
  const former = await service.createPrincipal();
  const formers = await enter(scene, former);
  const [formerKey] = (
    await pool.query('select id from service.api_keys where principal_id = $1', [former.id])
  ).rows;
  await revokeKey(database, String(formerKey?.id));
  const ended = await enter(scene, owner);
  await owner.call('DELETE', `/v0/sessions/${ended.id}`);
  const expired = await enter(scene, owner);
  await pool.query(`update service.sessions set expires_at = now() where id = $1`, [expired.id]);
  const revoked = await makeSigningLink(owner, hidden.id, { may: 'sign', participant: 'tenant' });
  await owner.call('DELETE', `/v0/agreements/${hidden.id}/links/${revoked.id}`);
  const late = await makeSigningLink(owner, hidden.id, { may: 'sign', participant: 'tenant' });
  await pool.query('update service.signing_links set expires_at = now() where id = $1', [late.id]);
  const linkTo = async (may: 'read' | 'sign') => {
    const { secret } = await makeSigningLink(owner, shared.id, { may, participant: 'tenant' });
    return { ...page, 'x-agreements-link': secret };
  };
  const ofDraft = await makeSigningLink(owner, await prepareDraft(owner, shared, 'A draft'), { may: 'sign' });
  const left = await login(scene, shared.tenant);
  await left.call('DELETE', '/v0/wallet/sessions/current', { headers: {} });
  const cookieOf = (cookie: string) => ({ ...page, cookie });
  const nothing = { may: open.forAnybody, sees: 'nothing' } as const;
  const strangers = {
    may: [...principals, ...everyScope, ...open.forAnybody],
    sees: 'nothing',
  } as const;
  const withKey = open.forEveryKey;
  const withWallet = [...open.forAnybody, ...open.forEveryWallet];
  const guests = [...open.forAnybody, ...open.forReadingGuests];
  const portal = await makePortalLink(owner);
  return [
    { name: 'nobody', headers: page, ...nothing },
    {
      name: 'a key that nobody has',
      headers: { ...page, 'x-api-key': `${owner.key.slice(0, -4)}0000` },
      ...nothing,
    },
    { name: 'a key that is revoked', headers: keyOf(former), ...nothing },
    { name: 'the session of a key that is revoked', headers: cookieOf(formers.cookie), ...nothing },
    { name: 'a session that was ended', headers: cookieOf(ended.cookie), ...nothing },
    { name: 'a session that has expired', headers: cookieOf(expired.cookie), ...nothing },
    {
      name: 'a portal link in the place of a session',
      headers: cookieOf(`agreements-session=${portal.secret}`),
      ...nothing,
    },
    {
      name: 'a portal link in the place of a signing link',
      headers: { ...page, 'x-agreements-link': portal.secret },
      ...nothing,
    },
    {
      name: 'a signing link that was revoked',
      headers: { ...page, 'x-agreements-link': revoked.secret },
      ...nothing,
    },
    {
      name: 'a signing link that has expired',
      headers: { ...page, 'x-agreements-link': late.secret },
      ...nothing,
    },
    {
      name: 'a signing link in the place of a key',
      headers: { ...page, 'x-api-key': (await linkTo('sign'))['x-agreements-link'] },
      ...nothing,
    },
    { name: 'the session of a wallet that has left', headers: cookieOf(left.former), ...nothing },
    {
      name: 'the key of another principal',
      headers: keyOf(stranger),
      ...strangers,
      may: [...strangers.may, ...withKey],
    },
    {
      name: 'the session of another principal',
      headers: cookieOf((await enter(scene, stranger)).cookie),
      ...strangers,
      may: [...strangers.may, ...open.forEverySession],
    },
    {
      name: 'a key without any scope',
      headers: keyOf(powerless),
      may: [...open.forAnybody, ...withKey, ...principals],
      sees: 'nothing',
    },
    { name: 'a signing link to read', headers: await linkTo('read'), may: guests, sees: 'one agreement' },
    {
      name: 'a signing link to sign',
      headers: await linkTo('sign'),
      may: [...guests, ...open.forSigningGuests],
      sees: 'one agreement',
      wallet: shared.tenant.address,
    },
    {
      name: 'the signing link of the owner of a draft',
      headers: { ...page, 'x-agreements-link': ofDraft.secret },
      may: [...guests, ...open.forSigningGuests, ...open.forOwningGuests],
      sees: 'one agreement',
      wallet: shared.landlord.address,
    },
    {
      name: 'the wallet of a participant',
      headers: cookieOf((await login(scene, shared.tenant)).cookie()),
      may: withWallet,
      sees: 'one agreement',
      wallet: shared.tenant.address,
    },
    {
      name: 'the wallet of somebody else',
      headers: cookieOf((await login(scene, createAccount())).cookie()),
      may: withWallet,
      sees: 'nothing',
    },
    ...(await Promise.all(
      scopes.map(async (scope) => ({
        name: `a session narrowed to ${scope}`,
        headers: cookieOf((await enter(scene, owner, { capabilities: [scope] })).cookie),
        may: [...open.forAnybody, ...open.forEveryPrincipal, ...open.forEverySession, ...open.byScope[scope]],
        sees: 'all' as const,
        isOwner: true,
      })),
    )),
  ];
}
