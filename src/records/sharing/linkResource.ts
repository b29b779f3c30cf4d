import { sql } from 'drizzle-orm';
import { type SigningLinkUseKind, signingLinks } from '../../platform/database/tables/signingLinks.ts';

export type LinkUse = {
  readonly kind: SigningLinkUseKind;
  readonly wallet: string | null;
  readonly input_id: string | null;
  readonly used_at: string;
};

const shownUses = 25;

/** The shown data of a link, with its last uses and without its secret. */
export const linkColumns = {
  id: signingLinks.id,
  recordId: signingLinks.recordId,
  may: signingLinks.may,
  participant: signingLinks.participant,
  note: signingLinks.note,
  createdByApiKeyId: signingLinks.createdByApiKeyId,
  createdAt: signingLinks.createdAt,
  expiresAt: signingLinks.expiresAt,
  endedAt: signingLinks.endedAt,
};
export type LinkRow = Pick<typeof signingLinks.$inferSelect, keyof typeof linkColumns>;

/** The last uses of a link, newest first. */
export const usesOfLink = sql<LinkUse[]>`(
  select coalesce(json_agg(json_build_object('kind', used.kind, 'wallet', used.wallet, 'input_id', used.input_id,
    'used_at', used.used_at) order by used.id desc), '[]')
  from (select * from service.signing_link_uses where link_id = signing_links.id
    order by id desc limit ${sql.raw(String(shownUses))}) used)`;

/** A link in wire form. */
export function toLink(row: LinkRow, uses: readonly LinkUse[]) {
  return {
    id: row.id,
    agreementId: row.recordId,
    may: row.may,
    participant: row.participant ?? undefined,
    note: row.note ?? undefined,
    createdByApiKeyId: row.createdByApiKeyId ?? undefined,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    endedAt: row.endedAt?.toISOString(),
    uses: uses.map(({ kind, wallet, input_id: inputId, used_at: usedAt }) => ({
      kind,
      wallet: wallet ?? undefined,
      inputId: inputId ?? undefined,
      usedAt: new Date(usedAt).toISOString(),
    })),
  };
}
