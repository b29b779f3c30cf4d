import { randomBytes } from 'node:crypto';
import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import { buildLease } from '../../service/support/documents.ts';
import { deployLease } from '../../service/support/leases.ts';
import { insertInputs, insertRecords } from '../../service/support/rows.ts';
import type { StandInWorker } from '../../service/support/standInWorker.ts';
import type { TestChain } from '../../service/support/testChain.ts';
import type { TestPrincipal, TestService } from '../../service/support/testService.ts';

export type Party = {
  readonly name: string;
  readonly key: string;
  /** The ids in paths of everything that the principal owns. */
  readonly references: readonly string[];
  /** Ids and cursors from the principal's answers so far. */
  readonly learned: string[];
  /** Texts that no other principal may ever see, unless it sent them itself. */
  readonly canaries: readonly string[];
  /** Puts something of this principal into an example from the document. */
  adapt(example: unknown): unknown;
};

const randomAddress = (): Address => getAddress(`0x${randomBytes(20).toString('hex')}`);
const idsShape = z.looseObject({ id: z.string() });

/**
 * A principal with agreements, inputs, documents and a subscription, each marked with a text that only it may
 * read.
 */
export async function createParty(
  name: string,
  service: TestService,
  { chain, worker }: { chain: TestChain; worker: StandInWorker },
): Promise<Party> {
  const principal = await service.createPrincipal();
  const mark = `canary${name}${randomBytes(8).toString('hex')}`;
  const records = await storeRecords(principal, { service, mark });
  const lease = await deployLease(principal, { chain, worker });
  const webhook = await principal.call('POST', '/v0/webhooks', {
    body: { url: `https://127.0.0.1:9/${mark}`, filters: { templateIds: [mark] } },
  });
  const webhookId = idsShape.parse(webhook.body.data).id;
  const addresses = records.flatMap(({ address }) => (address === undefined ? [] : [address]));
  return {
    name,
    key: principal.key,
    references: [
      ...records.map(({ id }) => id),
      ...addresses,
      ...records.map(({ document_id: documentId }) => documentId),
      lease.id,
      lease.address,
      webhookId,
    ],
    learned: [],
    canaries: [mark, principal.id, ...records.map(({ id }) => id), ...addresses, lease.id, webhookId],
    adapt: (example) =>
      JSON.parse(JSON.stringify(example ?? null).replaceAll('bicycle', `bicycle${mark.slice(-4)}`)),
  };
}

async function storeRecords(
  principal: TestPrincipal,
  { service, mark }: { service: TestService; mark: string },
) {
  const document = JSON.stringify({
    ...buildLease(randomAddress()),
    secret: mark,
    content: { type: 'md', data: `# ${mark}` },
  });
  const records = Array.from({ length: 30 }, (_, at) => ({
    id: `agr_${randomBytes(16).toString('hex')}`,
    address: at % 5 === 0 ? undefined : randomAddress(),
    status: at % 5 === 0 ? 'Draft' : 'Deployed',
    chain_id: at % 3 === 0 ? 84532 : 59141,
    document,
    document_id: `${mark}-${at}`,
    display_name: `${mark} ${at}`,
    state: at % 2 === 0 ? 'OFFERED' : mark,
    state_block_number: 5,
    state_updated_at: '2026-03-01T00:00:00Z',
    observers: JSON.stringify([`${mark}@observer.example`]),
    variables: JSON.stringify({ landlord: randomAddress(), remark: mark, rent: '5' }),
    created_at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
  }));
  const { pool } = service.handle;
  await insertRecords(pool, principal, records);
  for (const { id, address } of records)
    if (address !== undefined)
      await insertInputs(
        pool,
        { id, address },
        ['one', 'two'].map((part) => ({
          id: `inp_${randomBytes(16).toString('hex')}`,
          values: JSON.stringify({ remark: `${mark} ${part}` }),
        })),
      );
  return records;
}
