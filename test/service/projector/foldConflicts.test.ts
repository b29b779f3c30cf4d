import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecord } from '../../../src/api/agreements/openRecord.ts';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createKey } from '../../../src/records/principals/apiKeys.ts';
import { createProjector } from '../../../src/worker/projector/projector.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createScene, deployment, input, toggle } from './support/scene.ts';
import { chainId, createFixture, type Fixture, reorgWindow, silent } from './support/setup.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  await fixture.index.deploy();
});
afterAll(() => fixture.close());

/** Each update of a record by a fold takes a fifth of a second, as if it had thousands of inputs to fold. */
const slowFold = `
  create function service.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return new; end $$;
  create trigger slow before update on service.records for each row
    when (old.input_count is distinct from new.input_count) execute function service.slow();`;

test('a principal that changes its record again and again holds no fold up', async () => {
  const { pool, url } = fixture;
  const options = { url, logger: silent };
  const api = createDatabase({ ...options, applicationName: 'api', maxConnections: 3, readsTogether: true });
  const scene = await createScene(fixture);
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await pool.query(slowFold);
  scene.add(input(toggle('5')));
  await scene.show();

  const { id: keyId } = await createKey(api.database, {
    principal: scene.principalId,
    environment: 'testnet',
  });
  let changes = 0;
  let isOver = false;
  const change = async () => {
    for (; !isOver; changes++) {
      const participantAccess = changes % 2 === 0 ? 'read' : 'sign';
      const request = {
        reference: { id: recordId },
        principalId: scene.principalId,
        keyId,
        participantAccess,
        inPageTurn: <Page>(read: () => Promise<Page>) => read(),
      } as const;
      await openRecord(request, api);
    }
  };
  const changing = change();
  const handle = createDatabase({ ...options, applicationName: 'projector', maxConnections: 3 });
  const chains = [{ chainId, confirmations: 1, reorgWindow }];
  const projector = createProjector({ pool: handle.pool, databaseUrl: url, chains, logger: silent });
  try {
    await waitUntil('the fold', async () => (await scene.record(recordId)).inputCount === 1);
    const changesBefore = changes;
    await waitUntil('more changes', async () => changes > changesBefore + 1);
  } finally {
    isOver = true;
    await changing;
    await projector.close();
    await Promise.all([handle.close(), api.close()]);
  }
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit', variables: { brightness: '5' } });
});
