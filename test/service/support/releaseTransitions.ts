import { randomBytes } from 'node:crypto';
import { writeEnvelope } from '../../../src/records/events/envelope.ts';
import { releaseNow } from '../../../src/worker/publisher/releaseEvents.ts';
import { insertRecords } from './rows.ts';
import type { TestPrincipal, TestService } from './testService.ts';

/** Releases this number of transitions of a new agreement, and returns the ids of their events. */
export async function releaseTransitions(
  { handle }: TestService,
  owner: Pick<TestPrincipal, 'id'>,
  count: number,
): Promise<string[]> {
  const recordId = `agr_${randomBytes(16).toString('hex')}`;
  await insertRecords(handle.pool, owner, [{ id: recordId }]);
  const events = Array.from({ length: count }, (_, sequence) => {
    const id = `evt_${randomBytes(32).toString('hex')}`;
    const type = 'agreement.transitioned' as const;
    const data = {
      agreementId: recordId,
      agreementName: 'Lease',
      templateId: 'did:template:lease',
      fromState: `S${sequence}`,
      toState: `S${sequence + 1}`,
      inputId: 'go',
      sequence: sequence + 1,
    };
    const body = writeEnvelope({ id, type, createdAt: new Date(), data });
    const place = { chainId: 59141, blockNumber: null, txHash: null, blockOrder: sequence };
    return { id, principalId: owner.id, recordId, type, body, ...place };
  });
  await handle.database.transaction((transaction) => releaseNow(transaction, events));
  return events.map(({ id }) => id);
}
