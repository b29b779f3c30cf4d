import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { NotFoundError } from '../../platform/errors/serviceError.ts';
import { secondsSql, toInstant } from '../../platform/lists/instant.ts';
import { heldAddress } from '../agreements/heldAddress.ts';
import { findRuleDifferences } from '../agreements/ruleDifferences.ts';
import { spliceJson } from '../agreements/spliceJson.ts';
import type { Guest } from './guest.ts';

type SharedRow = RowOf<
  typeof records,
  | 'id'
  | 'address'
  | 'chain_id'
  | 'display_name'
  | 'status'
  | 'document'
  | 'doc_hash'
  | 'doc_uri'
  | 'state'
  | 'variables'
  | 'owner'
  | 'awaits_owner'
  | 'participants'
  | 'deploy_tx_hash'
> & { created_at: number; updated_at: number; deployed_at: number | null; is_adopted: boolean };

const query = `select r.id, r.address, r.chain_id, r.display_name, r.status, r.document, r.doc_hash, r.doc_uri, r.state,
    r.variables, r.owner, r.awaits_owner, r.participants, r.deploy_tx_hash,
    r.adopted_through is not null as is_adopted, ${secondsSql('r.created_at')} as created_at,
    ${secondsSql('r.updated_at')} as updated_at, ${secondsSql('r.deployed_at')} as deployed_at
  from service.records r where r.id = $1`;

/**
 * A record for guests: the agreement, without the parties' mail addresses and without anything of its
 * principal.
 */
export async function readSharedRecord(pool: pg.Pool, guest: Guest): Promise<string> {
  const [row] = await runPrepared<SharedRow>(pool, query, [guest.recordId]);
  if (!row) throw new NotFoundError('The agreement does not exist.');
  const { may, participant } = guest;
  const wallet = participant === undefined ? guest.wallet : heldAddress(row.variables, participant);
  const resource = {
    id: row.id,
    address: row.address ?? undefined,
    chainId: row.chain_id,
    displayName: row.display_name,
    status: row.status,
    state: row.state ?? undefined,
    docHash: row.doc_hash,
    differsFromDocument: await findRuleDifferences(pool, row),
    docUri: row.doc_uri,
    variables: row.variables,
    owner: row.owner ?? undefined,
    awaitsOwner: row.awaits_owner || undefined,
    participants: row.participants.map(({ variableKey, walletAddress }) => ({ variableKey, walletAddress })),
    createdAt: toInstant(row.created_at),
    updatedAt: toInstant(row.updated_at),
    deployedAt: row.deployed_at === null ? undefined : toInstant(row.deployed_at),
    access: { may, participant, wallet: may === 'sign' ? wallet : undefined },
  };
  return spliceJson(resource, { json: row.document });
}
