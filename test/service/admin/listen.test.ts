import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import type { Deliverer } from '../../../src/worker/deliverer/deliverer.ts';
import { type Program, startProgram } from '../../e2e/support/program.ts';
import { startReceiver } from '../../support/receiver.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { releaseTransitions } from '../support/releaseTransitions.ts';
import { startTestDeliverer } from '../support/startTestDeliverer.ts';
import {
  encryptionKey,
  startTestService,
  type TestPrincipal,
  type TestService,
} from '../support/testService.ts';

const env = { WEBHOOK_ALLOWED_TARGETS: '127.0.0.1' };
const programs: Program[] = [];
let service: TestService;
let owner: TestPrincipal;
let deliverer: Deliverer;

beforeAll(async () => {
  service = await startTestService({ env });
  owner = await service.createPrincipal();
  deliverer = await startTestDeliverer(service, env);
});
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.signal('SIGKILL');
    await program.exited;
  }
});
afterAll(async () => {
  await deliverer?.close();
  await service?.close();
});

/** As in a terminal with colours. */
function listen(port: number, ...words: string[]): Program {
  const program = startProgram('admin', {
    env: { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: encryptionKey, NO_COLOR: '', FORCE_COLOR: '1' },
    words: ['listen', '--port', String(port), '--principal', owner.name, ...words],
  });
  programs.push(program);
  return program;
}

async function awaitLine(program: Program, pattern: RegExp): Promise<string> {
  const ask = () => {
    const found = program.lines.find((line) => pattern.test(line));
    if (found === undefined && program.hasEnded()) throw new Error(program.lines.join('\n'));
    return found;
  };
  return waitUntil(`a line has ${pattern}`, ask);
}

async function stop(program: Program): Promise<number | null> {
  program.signal('SIGINT');
  return (await program.exited).code;
}

const webhooksShape = z.array(z.looseObject({ id: z.string(), url: z.string(), status: z.string() }));
const readWebhooks = async () =>
  webhooksShape.parse((await owner.call('GET', '/v0/webhooks')).body.data).map(({ url, status }) => ({
    url,
    status,
  }));

test('listening verifies and prints what arrives, disables its webhook at the end, and takes it up again', async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const program = listen(port);
  await awaitLine(program, /✓ webhook\.test {2}evt_/);
  const [eventId] = await releaseTransitions(service, owner, 1);
  const line = await awaitLine(program, /agreement\.transitioned/);
  expect(line).toContain(`✓ agreement.transitioned  ${eventId}  Lease: S0 → S1 by go`);
  const forged = await fetch(url, { method: 'POST', body: '{}' });
  expect(forged.status).toBe(400);
  await awaitLine(program, /✗ refused: missing_headers/);
  expect(await readWebhooks()).toEqual([{ url, status: 'active' }]);
  expect(await stop(program)).toBe(0);
  expect(program.lines.at(-1)).toMatch(/^Received 2 events, and disabled wh_/);
  expect(await readWebhooks()).toEqual([{ url, status: 'disabled' }]);

  const again = listen(port, '--json');
  await waitUntil('it listens again', async () => (await readWebhooks())[0]?.status === 'active');
  const [second] = await releaseTransitions(service, owner, 1);
  await waitUntil('the event has arrived', async () => {
    const statement = 'select 1 from service.deliveries where event_id = $1 and status = $2';
    return (await service.handle.pool.query(statement, [second, 'succeeded'])).rows.length === 1;
  });
  expect(await stop(again)).toBe(0);
  const answer = JSON.parse(again.lines.join('\n'));
  expect(answer).toMatchObject({ url, refused: 0 });
  expect(answer.events).toContainEqual(expect.objectContaining({ id: second }));
  expect(await readWebhooks()).toEqual([{ url, status: 'disabled' }]);
});

test('listening is refused on a port that is in use, and leaves no webhook', async () => {
  const before = await readWebhooks();
  const receiver = await startReceiver();
  try {
    const program = listen(receiver.port);
    expect((await program.exited).code).toBe(1);
    expect(program.lines).toEqual([`Port ${receiver.port} is in use: choose another one with --port.`]);
    expect(await readWebhooks()).toEqual(before);
  } finally {
    await receiver.close();
  }
});

test('listening says what to do if the workers may not send to this machine', async () => {
  await deliverer.close();
  deliverer = await startTestDeliverer(service, {});
  try {
    const program = listen(await findFreePort());
    expect(await awaitLine(program, /did not arrive/)).toContain('WEBHOOK_ALLOWED_TARGETS');
    expect(await stop(program)).toBe(0);
  } finally {
    await deliverer.close();
    deliverer = await startTestDeliverer(service, env);
  }
});

test('operators see the webhooks of all principals and their deliveries, and can disable them', async () => {
  const receiver = await startReceiver((response) => void response.writeHead(404).end());
  const created = await owner.call('POST', '/v0/webhooks', { body: { url: receiver.url } });
  const { id } = z.looseObject({ id: z.string() }).parse(created.body.data);
  await owner.call('POST', `/v0/webhooks/${id}/test`);
  await receiver.close();
  const admin = async (...words: string[]) => {
    const program = startProgram('admin', {
      env: { DATABASE_URL: service.databaseUrl },
      words: ['webhooks', ...words, '--json'],
    });
    programs.push(program);
    const { code } = await program.exited;
    return { code, value: JSON.parse(program.lines.join('\n')) };
  };
  expect((await admin('list', '--principal', owner.name)).value).toContainEqual({
    id,
    principalName: owner.name,
    url: receiver.url,
    status: 'active',
    failuresInRow: 1,
    lastSuccessAt: null,
    lastFailureAt: expect.any(String),
  });
  expect((await admin('deliveries', id, '--status', 'failed')).value).toMatchObject([
    { eventType: 'webhook.test', status: 'failed', attempts: 1, error: expect.stringContaining('404') },
  ]);
  expect(await admin('disable', id)).toEqual({ code: 0, value: { id, status: 'disabled' } });
  expect(await admin('disable', 'wh_0')).toEqual({
    code: 1,
    value: { error: { message: 'There is no webhook with the id wh_0.' } },
  });
});
