import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProcess } from '../../src/platform/supervision/processIdentity.ts';
import { openStartScene, type StartScene } from './support/startScene.ts';

let scene: StartScene;
beforeAll(async () => {
  scene = await openStartScene();
});
afterAll(() => scene?.close());

describe('npm start', () => {
  test.each([
    ['a database is missing', { DATABASE_URL: '' }, 'DATABASE_URL: is required'],
    ['a chain has no endpoint', { CHAINS: '84532,59141' }, 'RPC_URL_59141: is required'],
    [
      'a relayer key is no key',
      { RELAYER_PRIVATE_KEYS: '0x12' },
      'RELAYER_PRIVATE_KEYS, key 1: is not a private key',
    ],
    ['an encryption key is no key', { ENCRYPTION_KEY: 'abc' }, 'ENCRYPTION_KEY: expected 64 hex digits'],
    ['there is no relayer key', { RELAYER_PRIVATE_KEYS: '' }, 'RELAYER_PRIVATE_KEYS: is required'],
  ])('where %s it says so and starts nothing', async (_, changes, message) => {
    const program = scene.start(changes);
    expect(await program.exited).toEqual({ code: 1, signal: null });
    expect(program.lines.join('\n')).toContain(message);
    // One message, no stack trace, and no log line of a started process.
    expect(program.lines.join('\n')).not.toMatch(/\n\s+at |"childPid"/);
  });

  // A given server may believe everybody.
  test.skipIf(process.env.TEST_DATABASE_URL).each([
    ['password', { password: 'not-the-password' }, 'password authentication failed for user'],
    ['role', { username: 'nobody' }, 'password authentication failed for user "nobody"'],
    ['database', { pathname: '/no_such_database' }, 'database "no_such_database" does not exist'],
    ['file of a certificate', { search: '?sslrootcert=/no/such.pem' }, 'ENOENT: no such file'],
  ])(
    'where the %s in DATABASE_URL is wrong it says so once and starts nothing',
    async (_, parts, message) => {
      const { href } = Object.assign(new URL(scene.databaseUrl), parts);
      const program = scene.start({ DATABASE_URL: href });
      expect(await program.exited).toEqual({ code: 1, signal: null });
      const said = program.lines.join('\n');
      expect(said).toContain(`DATABASE_URL: ${message}`);
      expect(said).not.toMatch(/not-the-password|\n\s+at |"childPid"/);
    },
  );

  test('runs the service until it is asked to stop, and leaves nothing behind', async () => {
    const { program, childPids } = await scene.startHealthy();
    program.signal('SIGTERM');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(childPids.map((pid) => findProcess(pid))).toEqual([null, null, null]);
  });
});
