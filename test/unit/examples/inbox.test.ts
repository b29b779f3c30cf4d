import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebhookEvent } from '../../../client/src/webhooks/verifyWebhook.ts';
import { openInbox } from '../../../examples/receivers/inbox.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inbox-'));
  file = join(folder, 'inbox.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const eventOf = (id: string): WebhookEvent => ({
  id,
  type: 'webhook.test',
  apiVersion: '2026-06-01',
  createdAt: '2026-06-01T00:00:00.000Z',
  data: {},
});

test('an event whose processing fails is processed when it comes again', () => {
  const inbox = openInbox(file);
  const handled: string[] = [];
  const fail = () => {
    throw new Error('the queue is away');
  };
  expect(() => inbox.take(eventOf('evt_1'), fail)).toThrow('the queue is away');
  inbox.take(eventOf('evt_1'), ({ id }) => handled.push(id));
  inbox.take(eventOf('evt_1'), ({ id }) => handled.push(id));
  expect(handled).toEqual(['evt_1']);
  openInbox(file).take(eventOf('evt_1'), ({ id }) => handled.push(id));
  expect(handled).toEqual(['evt_1']);
});

test('a line that a crash has cut takes no later event with it', () => {
  const whole = JSON.stringify(eventOf('evt_1'));
  const handled: string[] = [];
  writeFileSync(file, `${whole}\n${whole.replace('evt_1', 'evt_2').slice(0, 30)}`);
  openInbox(file).take(eventOf('evt_3'), ({ id }) => handled.push(id));
  const inbox = openInbox(file);
  for (const id of ['evt_1', 'evt_2', 'evt_3']) inbox.take(eventOf(id), (event) => handled.push(event.id));
  expect(handled).toEqual(['evt_3', 'evt_2']);
  expect(readFileSync(file, 'utf8').split('\n').slice(2)).toEqual([
    whole.replace('evt_1', 'evt_3'),
    whole.replace('evt_1', 'evt_2'),
    '',
  ]);
});
