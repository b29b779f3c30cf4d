import { setImmediate as turn } from 'node:timers/promises';
import pino from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { buildPage, buildPlainPage } from '../../../src/api/documents/buildPage.ts';
import type { HostedDocument } from '../../../src/api/documents/hostedDocument.ts';
import {
  createPageRenderer,
  type PageRenderer,
  type RenderBounds,
} from '../../../src/api/documents/pageRenderer.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { noteReadBytes } from '../../../src/platform/http/readCost.ts';
import { sampleDocument } from '../../support/sampleDocument.ts';

const logged: string[] = [];
const logger = pino({}, { write: (line) => logged.push(line) });
let renderer: PageRenderer;
afterEach(() => renderer.close());

/** Renders for one principal by default. */
const pages = {
  render: (document: HostedDocument, principalId = 'prn_one') =>
    renderer.render(document, { name: principalId, turn: principalId }),
  close: () => renderer.close(),
};

function create(bounds: Partial<RenderBounds> = {}): typeof pages {
  const generous = { startMs: 60_000, renderMs: 20_000, patienceMs: 60_000, maxWaiting: 10, threads: 1 };
  renderer = createPageRenderer({ logger, bounds: { ...generous, ...bounds } });
  return pages;
}

/** The sanitiser's time grows with the square of the nesting depth: this document would take minutes. */
const endless = (agreementId: string) =>
  sampleDocument({ agreementId, contentType: 'html', template: '<b>'.repeat(400_000) });
const ordinary = sampleDocument();

describe('rendering beside the event loop', () => {
  test('gives the page that the same document always has', async () => {
    expect(await create().render(ordinary)).toBe(buildPage(ordinary));
  });

  test('gives each its own', async () => {
    create();
    const names = ['Ada', 'Bob', 'Cyd'];
    const rendered = names.map((owner) => pages.render(sampleDocument({ values: { owner } })));
    for (const [at, page] of (await Promise.all(rendered)).entries())
      expect(page).toContain(`<strong><bdi>${names[at]}</bdi></strong>`);
  });

  test('ends when it takes too long, with the text as it was written, and goes on with the next', async () => {
    create({ renderMs: 1_000 });
    const hostile = endless('agr_hostile');
    const [plain, next] = await Promise.all([pages.render(hostile), pages.render(ordinary)]);
    expect(plain).toBe(buildPlainPage(hostile));
    expect(next).toBe(buildPage(ordinary));
    expect(logged.at(-1)).toContain('agr_hostile');
  });

  test('leaves the event loop free meanwhile', async () => {
    create({ renderMs: 300 });
    let isDone = false;
    const hostile = pages.render(endless('agr_hostile')).finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await turn();
    await hostile;
    expect(turns).toBeGreaterThan(1_000);
  });

  test('leaves it free also for a plain page', async () => {
    create({ maxWaiting: 0 });
    let isDone = false;
    const plain = pages.render(ordinary).finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await turn();
    expect(await plain).toBe(buildPlainPage(ordinary));
    expect(turns).toBeGreaterThan(10);
  });

  test('refuses more plain pages of one principal than can wait', async () => {
    create({ maxWaiting: 0 });
    const taken = Array.from({ length: 101 }, () => pages.render(ordinary));
    await expect(pages.render(ordinary)).rejects.toThrow(RateLimitedError);
    expect(await pages.render(ordinary, 'prn_other')).toBe(buildPlainPage(ordinary));
    expect(new Set(await Promise.all(taken))).toEqual(new Set([buildPlainPage(ordinary)]));
  });

  test('is refused where large documents of the same turn wait, whoever reads them', async () => {
    create({ maxWaiting: 0 });
    const large = () => noteReadBytes(sampleDocument(), 20 * 1024 * 1024);
    const readBy = (name: string, turn: string) => renderer.render(large(), { name, turn });
    const first = readBy('lnk_1', 'guests of prn_one');
    await expect(readBy('lnk_2', 'guests of prn_one')).rejects.toThrow(RateLimitedError);
    await Promise.all([first, readBy('lnk_3', 'guests of prn_two')]);
    await readBy('lnk_2', 'guests of prn_one');
  });

  test('is not tried again for a record whose page took too long', async () => {
    create({ renderMs: 300 });
    const countFailed = () => logged.filter((line) => line.includes('failed to render a document')).length;
    await pages.render(endless('agr_hostile'));
    const before = countFailed();
    await pages.render(endless('agr_hostile'));
    expect(countFailed()).toBe(before);
    await pages.render(endless('agr_other'));
    expect(countFailed()).toBe(before + 1);
  });

  test('does not let anybody wait longer than there is patience for', async () => {
    create({ patienceMs: 200 });
    const hostile = pages.render(endless('agr_hostile'));
    expect(await pages.render(ordinary)).toBe(buildPlainPage(ordinary));
    await pages.close();
    await hostile;
  });

  test('does not let more wait than there is room for', async () => {
    create({ maxWaiting: 1 });
    const [rendered, waiting, refused] = await Promise.all([
      pages.render(ordinary),
      pages.render(ordinary),
      pages.render(ordinary),
    ]);
    expect([rendered, waiting]).toEqual([buildPage(ordinary), buildPage(ordinary)]);
    expect(refused).toBe(buildPlainPage(ordinary));
  });

  test('of one principal keeps no other waiting, however many pages it asks for', async () => {
    create({ renderMs: 4_000, threads: 2 });
    const settled: string[] = [];
    const hostile = Array.from({ length: 6 }, (_, at) =>
      pages.render(endless(`agr_hostile${at}`), 'prn_hostile').then(() => settled.push('hostile')),
    );
    expect(await pages.render(ordinary, 'prn_other')).toBe(buildPage(ordinary));
    expect(settled.length).toBeLessThanOrEqual(1);
    await renderer.close();
    await Promise.all(hostile);
  });

  test('of one turn keeps no other waiting, however many readers it has, and none of its own', async () => {
    create();
    const finished: string[] = [];
    const read = (name: string, turn: string) =>
      renderer.render(ordinary, { name, turn }).then(() => finished.push(name));
    const names = Array.from({ length: 8 }, (_, at) => `lnk_${at}`);
    const all = ['lnk_first', 'lnk_0', ...names].map((name) => read(name, 'guests of prn_one'));
    all.push(read('prn_other', 'prn_other'));
    await Promise.all(all);
    // The second page of a link comes after the first pages of the others.
    expect(finished).toEqual(['lnk_first', 'prn_other', ...names, 'lnk_0']);
  });

  test('counts those that wait for each reader', async () => {
    create({ maxWaiting: 1 });
    const read = (name: string) => renderer.render(ordinary, { name, turn: 'guests of prn_one' });
    const [, , refused, other] = await Promise.all([
      ...[read('lnk_1'), read('lnk_1'), read('lnk_1'), read('lnk_2')],
    ]);
    expect(refused).toBe(buildPlainPage(ordinary));
    expect(other).toBe(buildPage(ordinary));
  });

  test('ends with the renderer, and waiting requests get the text', async () => {
    create();
    const hostile = pages.render(endless('agr_hostile'));
    const waiting = pages.render(ordinary);
    await pages.close();
    expect(await hostile).toContain('Rendering this text took too long');
    expect(await waiting).toBe(buildPlainPage(ordinary));
    expect(await pages.render(ordinary)).toBe(buildPlainPage(ordinary));
  });
});
