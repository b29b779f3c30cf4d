import { setTimeout as delay } from 'node:timers/promises';
import type { WorstRequest } from '../support/worstRequests.ts';
import { type Attack, type AttackScene, get, long, readsPerSecond, times, withRequests } from './attack.ts';
import { extremes } from './values.ts';

/**
 * Sends as many requests at once as a limit's burst permits, and the next ones after the burst has refilled.
 */
const inBursts = (name: string, build: (scene: AttackScene) => WorstRequest): Attack => ({
  name,
  async run(scene) {
    const request = build(scene);
    while (scene.isOn()) {
      const sent = times(2 * readsPerSecond, () => scene.send(request));
      await Promise.all([...sent, delay(2_000)]);
    }
  },
});

/** Reads small pages, and then as many of the largest pages at once as the rest of the burst permits. */
const afterSmallPages: Attack = {
  name: 'small pages, and then the largest ones',
  async run(scene) {
    const page = (limit: number) => get(`/agreements/${scene.recordId}/inputs?limit=${limit}`);
    while (scene.isOn()) {
      await Promise.all(times(readsPerSecond, () => scene.send(get('/webhooks?limit=1'))));
      await Promise.all([...times(readsPerSecond, () => scene.send(page(100))), delay(2_000)]);
    }
  },
};

export const queries: readonly Attack[] = [
  withRequests('filters of wildcards', () => [
    get(`/agreements?displayName[startsWith]=${encodeURIComponent(long('%_\\', 300))}&limit=100`),
    get(`/agreements?displayName[startsWith]=${encodeURIComponent(long('\u{1f4a5}', 200))}&limit=100`),
    get(
      '/agreements?displayName[startsWith]=w&createdAt[gte]=0001-01-01T00:00:00Z&sort[updatedAt]=desc&limit=100',
    ),
  ]),
  inBursts('the largest pages of a history', ({ recordId }) =>
    get(`/agreements/${recordId}/inputs?limit=100`),
  ),
  afterSmallPages,
  inBursts('the largest pages of a history for guests', ({ linkSecret }) => ({
    ...get('/shared/agreement/inputs?limit=100', { 'x-agreements-link': linkSecret }),
    credential: 'signingLink',
  })),
  withRequests('moments at the ends of time', () =>
    extremes.flatMap((moment) => [
      get(
        `/agreements?createdAt[gte]=${encodeURIComponent(moment)}&updatedAt[lte]=${encodeURIComponent(moment)}`,
      ),
      get(`/agreements?createdAt[lt]=${encodeURIComponent(`2026-01-01T00:00:00.${long('9', 500)}Z`)}`),
    ]),
  ),
  withRequests('cursors made by hand', ({ recordId }) =>
    ['', 'x', '[]', '{"a":1}', '["agreements",null]', long('[', 1_000), '\u0000'].flatMap((text) => {
      const cursor = Buffer.from(text).toString('base64url');
      return [
        get(`/agreements?cursor=${cursor}`),
        get(`/agreements/${recordId}/inputs?cursor=${cursor}`),
        get(`/webhooks?cursor=${cursor}`),
        get(`/sessions?cursor=${cursor}`),
        get(`/events?after=${cursor}`),
        get(`/agreements?consistency=${cursor}`),
      ];
    }),
  ),
  withRequests('pages of evidence and of documents', ({ recordId, documentId }) => [
    get(`/agreements/${recordId}/evidence`, { accept: 'text/html' }),
    get(`/agreements/documents/${documentId}`, { accept: 'text/html' }),
  ]),
  withRequests('headers of many parts', ({ documentId, recordId }) => [
    get('/agreements', { cookie: long('a=b;', 3_000) }),
    get(`/agreements/documents/${documentId}`, { accept: long('text/x;q=0.1,', 1_000) }),
    get(`/agreements/documents/${documentId}`, { 'if-none-match': long('"x",', 3_000) }),
    get(`/agreements/${recordId}`, { 'x-forwarded-for': long('1.1.1.1,', 1_500) }),
    get('/agreements', { traceparent: long('0', 8_000), 'x-request-id': long('x', 4_000) }),
  ]),
];
