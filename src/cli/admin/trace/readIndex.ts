import { inArray, sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.ts';
import { indexViewsSchemaName } from '../../../platform/database/indexNames.ts';
import { indexedAgreements, indexedInputs } from '../../../platform/database/indexView.ts';

/** The index's data about these transactions; null if no indexer has run yet. */
export async function readIndex(database: Database, hashes: readonly string[]) {
  const { rows } = await database.execute<{ is_there: boolean }>(
    sql`select to_regclass(${`${indexViewsSchemaName}.inputs`}) is not null as is_there`,
  );
  if (rows[0]?.is_there !== true) return null;
  const wanted = hashes.map((hash): `0x${string}` => `0x${hash.slice(2).toLowerCase()}`);
  const [deployed, accepted] = await Promise.all([
    database.select().from(indexedAgreements).where(inArray(indexedAgreements.transactionHash, wanted)),
    database.select().from(indexedInputs).where(inArray(indexedInputs.transactionHash, wanted)),
  ]);
  const logs = [
    ...deployed.map((log) => ({ event: 'AgreementDeployed', agreement: log.address, position: null, log })),
    ...accepted.map((log) => ({
      event: 'InputAccepted',
      agreement: log.agreement,
      position: log.position,
      log,
    })),
  ];
  return logs.map(({ event, agreement, position, log }) => ({
    event,
    chainId: log.chainId,
    agreement,
    position,
    txHash: log.transactionHash,
    blockNumber: String(log.blockNumber),
    blockHash: log.blockHash,
    blockTime: new Date(Number(log.blockTimestamp) * 1_000),
    logIndex: log.logIndex,
    permitSigner: log.permitSigner,
    permitSubmitter: log.permitSubmitter,
    permitNonce: log.permitNonce?.toString() ?? null,
    transactionFrom: log.transactionFrom,
  }));
}
