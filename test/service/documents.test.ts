import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { hashDocument } from '../../src/protocol/index.ts';
import { readContract } from './support/apiContract.ts';
import { buildLease, reference } from './support/documents.ts';
import { outcome } from './support/outcome.ts';
import { insertRecords } from './support/rows.ts';
import { startTestService, type TestPrincipal, type TestService } from './support/testService.ts';

let service: TestService;
let principal: TestPrincipal;
let stranger: TestPrincipal;
const landlord = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const document = JSON.stringify({
  ...buildLease(landlord),
  content: {
    type: 'md',
    data: `# Lease\n\nRent: **${reference('rent')}** (${reference('remark.value')}), kept by ${reference('keeper')}.`,
  },
});
const docHash = hashDocument(document);
const record = {
  id: 'agr_lease',
  address: landlord,
  display_name: 'Lease of a room & a kitchen',
  document,
  doc_hash: docHash,
  doc_uri: 'https://agreements.example/v0/agreements/documents/lease-1',
  document_id: 'lease-1',
  variables: '{"rent":"500","remark":"a <b>bold</b> **remark**"}',
  updated_at: '2026-03-01T00:00:00.123Z',
};
const named = (id: string, documentId: string) => ({ ...record, id, document_id: documentId, address: null });

beforeAll(async () => {
  service = await startTestService();
  principal = await service.createPrincipal();
  stranger = await service.createPrincipal();
  const { pool } = service.handle;
  const odd = ['Ünïcode 1', 'input', 'inputs', 'state', 'agr_lease', 'a%2Fb'];
  await insertRecords(pool, principal, [
    record,
    ...odd.map((documentId, at) => named(`agr_odd${at}`, documentId)),
    { ...named('agr_empty', 'empty'), document: '{"metadata":{}}', status: 'Draft' },
    { ...named('agr_scalar', 'scalar'), document: '{"content":{"type":7,"data":{"a":1}}}' },
    {
      ...named('agr_tower', 'tower'),
      document: JSON.stringify({ content: { type: 'html', data: '<b>'.repeat(150_000) } }),
    },
  ]);
  await insertRecords(pool, stranger, [
    { ...record, id: 'agr_other', display_name: 'Another lease', variables: '{"rent":"900"}' },
    named('agr_secret', 'secret'),
  ]);
});
afterAll(() => service.close());

async function get(documentId: string, headers: Record<string, string> = {}, { key } = principal) {
  const path = `/v0/agreements/documents/${documentId}`;
  const contract = await readContract(service.baseUrl);
  const response = await fetch(`${service.baseUrl}${path}`, { headers: { 'x-api-key': key, ...headers } });
  const text = await response.clone().text();
  contract.check({ method: 'GET', path, status: response.status, headers: response.headers, text });
  return response;
}
const accepting = (accept: string) => get('lease-1', { accept });
const typeOf = ({ headers }: Response) => headers.get('content-type')?.split(';')[0];

const { address, chainId, displayName, docUri, updatedAt, onChain } = recordShape.shape;
const documentShape = z.strictObject({
  data: z.strictObject({
    documentId: z.string(),
    docUri,
    agreementId: z.string(),
    agreementAddress: address,
    chainId,
    displayName,
    contentType: z.string(),
    content: z.string(),
    docHash: onChain.shape.docHash,
    updatedAt,
  }),
  meta: z.strictObject({ apiVersion: z.literal('v0'), requestId: z.string() }),
});
const readJson = async (response: Promise<Response>) =>
  documentShape.parse(await (await response).json()).data;

describe('a document in JSON', () => {
  test('is the text with its values unchanged and in place', async () => {
    expect(await readJson(get('lease-1'))).toEqual({
      documentId: 'lease-1',
      docUri: record.doc_uri,
      agreementId: 'agr_lease',
      agreementAddress: landlord,
      chainId: 59141,
      displayName: 'Lease of a room & a kitchen',
      contentType: 'md',
      content: '# Lease\n\nRent: **500** (a <b>bold</b> **remark**), kept by [keeper].',
      docHash,
      updatedAt: '2026-03-01T00:00:00.123Z',
    });
  });

  test('of a Draft has no address', async () => {
    expect(await readJson(get('empty'))).not.toHaveProperty('agreementAddress');
  });

  test('is empty if the agreement has no readable text', async () => {
    expect(await readJson(get('empty'))).toMatchObject({ contentType: 'md', content: '' });
    expect(await readJson(get('scalar'))).toMatchObject({ contentType: 'md', content: '' });
  });

  test('follows the values of the record', async () => {
    const etag = (await get('lease-1')).headers.get('etag');
    const change = (variables: string) =>
      service.handle.pool.query(`update service.records set variables = $1 where id = 'agr_lease'`, [
        variables,
      ]);
    await change('{"rent":"501"}');
    const changed = await get('lease-1');
    expect(await changed.text()).toContain('Rent: **501** ([remark])');
    expect(changed.headers.get('etag')).not.toBe(etag);
    await change(record.variables);
    expect((await get('lease-1')).headers.get('etag')).toBe(etag);
  });
});

describe('a document is found', () => {
  test.each([
    ['%C3%9Cn%C3%AFcode%201', 'Ünïcode 1'],
    ['a%252Fb', 'a%2Fb'],
    ...['input', 'inputs', 'state', 'agr_lease'].map((id) => [id, id]),
  ])('whatever its id looks like: %s', async (path, documentId) => {
    expect((await readJson(get(path))).documentId).toBe(documentId);
  });

  test('among the own records alone', async () => {
    expect(await readJson(get('lease-1', {}, stranger))).toMatchObject({
      agreementId: 'agr_other',
      displayName: 'Another lease',
      content: expect.stringContaining('**900**'),
    });
  });
});

describe('a document is not found', () => {
  const notFound = { status: 404, code: 'not_found', message: 'The document does not exist.' };
  test.each([['unknown'], ['LEASE-1'], ['%ED%A0%80'], ['%E0%A4%A'], ["'"], ['x'.repeat(5_000)]])(
    'if nobody has it: %s',
    async (id) => {
      const answer = await principal.call('GET', `/v0/agreements/documents/${id}`);
      expect(outcome(answer)).toEqual(notFound);
    },
  );

  test('where another principal has it, in whatever form it is asked for', async () => {
    for (const accept of ['application/json', 'text/html', 'text/markdown']) {
      const answer = await principal.call('GET', '/v0/agreements/documents/secret', { headers: { accept } });
      expect(outcome(answer)).toEqual(notFound);
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
  });
});

test('reading a document needs a key with the scope to read', async () => {
  const writer = await service.createPrincipal(['agreements.write']);
  expect((await get('lease-1', {}, writer)).status).toBe(403);
  expect((await get('lease-1', { 'x-api-key': '' })).status).toBe(401);
});

test('a query parameter is refused', async () => {
  expect((await get('lease-1?format=html')).status).toBe(400);
});

describe('the Accept header', () => {
  test.each([
    ['*/*', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8', 'text/html'],
    ['text/markdown', 'text/markdown'],
    ['text/markdown;q=0.5, text/html;q=0.4', 'text/markdown'],
    ['text/markdown;q=0', 'application/json'],
    ['image/png', 'application/json'],
    ['nonsense', 'application/json'],
  ])('%s gets %s', async (accept, type) => {
    expect(typeOf(await accepting(accept))).toBe(type);
  });
});

test('a document in Markdown is the text alone', async () => {
  const response = await accepting('text/markdown');
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(await response.text()).toBe(
    '# Lease\n\nRent: **500** (a <b>bold</b> **remark**), kept by [keeper].',
  );
});

describe('a document as a page', () => {
  test('is rendered, with the values as text and what identifies it', async () => {
    const page = await (await accepting('text/html')).text();
    expect(page).toContain('<h1>Lease</h1>');
    expect(page).toContain(
      '<strong><bdi>500</bdi></strong> (<bdi>a &lt;b&gt;bold&lt;/b&gt; **remark**</bdi>)',
    );
    expect(page).toContain('<bdi class="blank">[keeper]</bdi>');
    for (const fact of [docHash, landlord, 'agr_lease', 'lease-1', 'Lease of a room &amp; a kitchen'])
      expect(page).toContain(fact);
  });

  test('has headers that let it run and load nothing', async () => {
    const { headers } = await accepting('text/html');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox/,
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-dns-prefetch-control')).toBe('off');
  });

  test('that takes too long to render is plain text, and delays nobody else', async () => {
    let isDone = false;
    const towering = get('tower', { accept: 'text/html' }).finally(() => {
      isDone = true;
    });
    await readJson(get('lease-1'));
    expect(isDone).toBe(false);
    // On a busy machine the page may be given up before all of these are answered.
    for (let at = 0; at < 9; at++) await readJson(get('lease-1'));
    const page = await (await towering).text();
    expect(page).toContain('Rendering this text took too long');
    expect(page).toContain('&lt;b&gt;&lt;b&gt;');
    expect(await (await accepting('text/html')).text()).toContain('<h1>Lease</h1>');
  });
});

describe.each([['application/json'], ['text/markdown'], ['text/html']])('an answer in %s', (accept) => {
  test('only its caller may cache it, and no browser may sniff its type', async () => {
    const { headers } = await accepting(accept);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toBe('Accept');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('is not sent again to a caller that has it', async () => {
    const etag = (await accepting(accept)).headers.get('etag') ?? '';
    for (const known of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
      const response = await get('lease-1', { accept, 'if-none-match': known });
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    }
    const other = await get('lease-1', { accept, 'if-none-match': 'W/"other"' });
    expect(other.status).toBe(200);
    const ofStranger = await get('lease-1', { accept, 'if-none-match': etag }, stranger);
    expect(ofStranger.status).toBe(200);
  });

  test('has an ETag of its own', async () => {
    const others = ['application/json', 'text/markdown', 'text/html'].filter((type) => type !== accept);
    const etag = (await accepting(accept)).headers.get('etag') ?? '';
    for (const other of others)
      expect((await get('lease-1', { accept: other, 'if-none-match': etag })).status).toBe(200);
  });

  test('to HEAD has the headers and no body', async () => {
    const url = `${service.baseUrl}/v0/agreements/documents/lease-1`;
    const response = await fetch(url, { method: 'HEAD', headers: { accept, 'x-api-key': principal.key } });
    expect([response.status, typeOf(response), await response.text()]).toEqual([200, accept, '']);
  });
});
