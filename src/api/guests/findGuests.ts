import type { Address } from 'viem';
import { inGroups } from '../../platform/database/inGroups.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import type { signingLinks } from '../../platform/database/tables/signingLinks.ts';
import { type Entitlement, findModes, type Modes } from '../../records/principals/scopes.ts';
import { hashSecret } from '../../records/sessions/secretText.ts';
import type { Guest } from './guest.ts';

/** A guest, and what the principal of its record may do. */
export type FoundGuest = { readonly guest: Guest; readonly modes: Modes };

type RecordFacts = RowAs<typeof records, { recordId: 'id'; principalId: 'principal_id'; owner: 'owner' }> & {
  entitlements: readonly Entitlement[];
};

type LinkFacts = RecordFacts &
  RowAs<
    typeof signingLinks,
    { secretHash: 'secret_hash'; linkId: 'id'; may: 'may'; participant: 'participant' }
  >;

type OpenedFacts = RecordFacts & RowAs<typeof records, { access: 'participant_access' }> & { wallet: string };

const recordFacts = `r.id as "recordId", r.principal_id as "principalId", r.owner,
  (select coalesce(json_agg(json_build_object('scope', e.scope, 'mode', e.mode)), '[]')
    from service.entitlements e where e.principal_id = r.principal_id) as entitlements`;

/** A page sends many requests with one link: those that arrive together are answered by one statement. */
const linksQuery = `select l.secret_hash as "secretHash", l.id as "linkId", l.may, l.participant, ${recordFacts}
  from service.signing_links l join service.records r on r.id = l.record_id
  where l.secret_hash = any($1::text[]) and l.ended_at is null and l.expires_at > now()`;

const openedQuery = `select w.wallet, r.participant_access as access, ${recordFacts}
  from service.record_wallets w join service.records r on r.id = w.record_id
  where (w.record_id, w.wallet) in (select * from unnest($1::text[], $2::text[]))
    and r.participant_access <> 'none'`;

/** Finds the guest of an active signing link by the link's secret. */
export const findGuestByLink = inGroups<string, FoundGuest | undefined>(async (pool, secrets) => {
  const hashes = secrets.map(hashSecret);
  const rows = await runPrepared<LinkFacts>(pool, linksQuery, [[...new Set(hashes)]]);
  const found = new Map(rows.map((row) => [row.secretHash as string, toLinkGuest(row)]));
  return hashes.map((hash) => found.get(hash));
});

/** Finds the guest that a wallet is for a record that is open to it. */
export const findGuestByWallet = inGroups<{ wallet: Address; recordId: string }, FoundGuest | undefined>(
  async (pool, wanted) => {
    const wallets = wanted.map(({ wallet }) => wallet.toLowerCase());
    const ids = wanted.map(({ recordId }) => recordId);
    const rows = await runPrepared<OpenedFacts>(pool, openedQuery, [ids, wallets]);
    const found = new Map(rows.map((row) => [nameOpened(row), row]));
    return wanted.map(({ wallet, recordId }) => {
      const row = found.get(nameOpened({ wallet: wallet.toLowerCase(), recordId }));
      return row && toWalletGuest(row, wallet);
    });
  },
);

const nameOpened = ({ wallet, recordId }: { wallet: string; recordId: string }) => `${wallet} ${recordId}`;

function toLinkGuest(row: LinkFacts): FoundGuest {
  const { linkId, principalId, recordId, may } = row;
  const participant = row.participant ?? undefined;
  const wallet = participant === undefined ? (row.owner ?? undefined) : undefined;
  const guest: Guest = { name: linkId, linkId, principalId, recordId, may, participant, wallet };
  return { guest, modes: findModes(row.entitlements) };
}

function toWalletGuest(row: OpenedFacts, wallet: Address): FoundGuest | undefined {
  const { principalId, recordId, access: may } = row;
  if (may === 'none') return undefined;
  const none = { linkId: undefined, participant: undefined };
  const guest: Guest = { name: wallet, ...none, principalId, recordId, may, wallet };
  return { guest, modes: findModes(row.entitlements) };
}
