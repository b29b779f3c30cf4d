import { sql } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { arrayOf, recordsOf } from '../../platform/database/statements.ts';
import { parseAddress, type WireValues } from '../../protocol/index.ts';

/** A record that lets its participants in by their wallets. */
export type OpenedRecord = {
  readonly id: string;
  readonly accessVariables: readonly string[];
  /** The effective values. */
  readonly variables: WireValues;
  /** The required signer of a prepared deployment. */
  readonly awaitedOwner?: string | undefined;
};

/** The wallets that a record names now, in lower case, each once. */
export function namedWallets({ accessVariables, variables, awaitedOwner }: OpenedRecord): string[] {
  const held = accessVariables.map((name) =>
    Object.hasOwn(variables, name) ? parseAddress(variables[name]) : undefined,
  );
  const wallets = [...held, awaitedOwner].flatMap((wallet) =>
    wallet === undefined ? [] : [wallet.toLowerCase()],
  );
  return [...new Set(wallets)];
}

/** Stores the wallets that records name now, so that a wallet finds its records and may enter. */
export async function keepWallets(transaction: Queryable, records: readonly OpenedRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.flatMap((record) =>
    namedWallets(record).map((wallet) => ({ record_id: record.id, wallet })),
  );
  await transaction.execute(sql`
    with named as materialized (
      select record_id, wallet from ${recordsOf(rows)} as named(record_id text, wallet text)),
    gone as (
      delete from service.record_wallets kept
      where kept.record_id = any(${arrayOf(records.map(({ id }) => id))}::text[]) and not exists (
        select from named where named.record_id = kept.record_id and named.wallet = kept.wallet))
    insert into service.record_wallets (record_id, wallet, created_at)
    select record.id, named.wallet, record.created_at from named join service.records record on record.id = named.record_id
    on conflict do nothing`);
}

/** Removes a record from every wallet's list. */
export async function forgetWallets(transaction: Queryable, recordId: string): Promise<void> {
  await transaction.execute(sql`delete from service.record_wallets where record_id = ${recordId}`);
}
