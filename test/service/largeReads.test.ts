import { afterAll, beforeAll, expect, test } from 'vitest';
import { lamp } from './projector/support/scene.ts';
import { insertRecord } from './projector/support/serviceRows.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    env: { RATE_LIMIT_READS: '1000', RATE_LIMIT_READ_BURST: '1000' },
  });
});
afterAll(() => service?.close());

test.each(['', '/state'])(
  "a principal's reads of a large record%s are answered in turns, and others' at once",
  async (path) => {
    const [principal, other] = [await service.createPrincipal(), await service.createPrincipal()];
    const { database, pool } = service.handle;
    const insert = (principalId: string) => insertRecord(database, { principalId, chainId: 59141, lamp });
    const [large, small] = [await insert(principal.id), await insert(other.id)];
    const document = JSON.stringify({ ...lamp.agreement, note: 'x'.repeat(400_000) });
    await pool.query('update service.records set variables = $2, document = $3 where id = $1', [
      large,
      JSON.stringify({ holder: 'x'.repeat(400_000) }),
      path === '' ? document : JSON.stringify(lamp.agreement),
    ]);
    const read = () => principal.call('GET', `/v0/agreements/${large}${path}`);
    expect((await read()).status).toBe(200);
    const answers = Promise.all(Array.from({ length: 130 }, read));
    expect((await other.call('GET', `/v0/agreements/${small}${path}`)).status).toBe(200);
    // A state is small itself, but large variables were read for it.
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200, 429]));
  },
);
