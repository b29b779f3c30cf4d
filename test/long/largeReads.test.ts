import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newSigningLinkShape } from '../../src/api/shapes/sharingShapes.ts';
import { lamp } from '../service/projector/support/scene.ts';
import { insertRecord } from '../service/projector/support/serviceRows.ts';
import { insertRecords } from '../service/support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from '../service/support/testService.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** On a busy machine a test may have to ask several times before enough requests wait together. */
vi.setConfig({ testTimeout: 180_000 });
const patienceMs = 120_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    env: { RATE_LIMIT_READS: '1000', RATE_LIMIT_READ_BURST: '1000' },
  });
});
afterAll(() => service?.close());

const read = async (path: string, headers: Record<string, string>) => {
  const response = await fetch(`${service.baseUrl}${path}`, { headers });
  await response.arrayBuffer();
  return response;
};

/**
 * Waits until many requests at once are partly answered with this status, and partly refused. `meanwhile` runs
 * while they wait.
 */
async function expectTurns(
  ask: () => Promise<Response>,
  { status: expected, meanwhile = async () => {} }: { status: number; meanwhile?: () => Promise<void> },
): Promise<void> {
  const askMany = async () => {
    // Reads are only refused soon after a large one.
    expect((await ask()).status).toBe(expected);
    const answers = Promise.all(Array.from({ length: 130 }, ask));
    await meanwhile();
    const seen = new Set((await answers).map(({ status }) => status));
    for (const status of seen) expect([expected, 429]).toContain(status);
    return seen.has(expected) && seen.has(429);
  };
  await waitUntil('some are refused', askMany, patienceMs);
}

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
    const ask = () => read(`/v0/agreements/${large}${path}`, { 'x-api-key': principal.key });
    expect((await principal.call('GET', `/v0/agreements/${large}${path}`)).status).toBe(200);
    // A state is small itself, but large variables were read for it.
    await expectTurns(ask, {
      status: 200,
      meanwhile: async () =>
        expect((await other.call('GET', `/v0/agreements/${small}${path}`)).status).toBe(200),
    });
  },
);

describe('a document with large values', () => {
  const documentId = 'large';
  let principal: TestPrincipal;
  let id: string;
  beforeAll(async () => {
    principal = await service.createPrincipal();
    id = `agr_${principal.name}`;
    const values = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`v${at}`, '\u0001'.repeat(4_000)]),
    );
    const data = Object.keys(values)
      .map((name) => `\${variables.${name}}`)
      .join('\n');
    const row = { id, document_id: documentId, document: JSON.stringify({ content: { type: 'md', data } }) };
    await insertRecords(service.handle.pool, principal, [{ ...row, variables: JSON.stringify(values) }]);
  });

  test.each(['application/json', 'text/markdown'])(
    'is read in turns by its principal as %s, also where the reader has it already',
    async (accept) => {
      const ask = (headers: Record<string, string> = {}) =>
        read(`/v0/agreements/documents/${documentId}`, { accept, 'x-api-key': principal.key, ...headers });
      const first = await ask();
      expect(first.status).toBe(200);
      await expectTurns(ask, { status: 200 });
      const etag = first.headers.get('etag') ?? '';
      await expectTurns(() => ask({ 'if-none-match': etag }), { status: 304 });
    },
  );

  test('is read in turns by guests, whichever link they have', async () => {
    const links = await Promise.all(
      [1, 2].map(() => principal.call('POST', `/v0/agreements/${id}/links`, { body: { may: 'read' } })),
    );
    const secrets = links.map(({ body }) => new URL(newSigningLinkShape.parse(body.data).url).hash.slice(1));
    let sent = 0;
    const ask = () =>
      read('/v0/shared/agreement/document', { 'x-agreements-link': secrets[sent++ % secrets.length] ?? '' });
    await expectTurns(ask, { status: 200 });
  });
});
