import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

describe('the index’s own entities of Drizzle', () => {
  test('are what Drizzle itself works with', () => {
    const { stdout } = run([resolve('./support/compareEntities.ts')]);
    expect(JSON.parse(stdout)).toEqual({
      isQuick: true,
      query: { sql: 'select $1', params: [1], typings: ['none'] },
    });
  });

  test('come in time: nothing loads Drizzle before they are asked for', () => {
    const { stdout, stderr, status } = start('indexer');
    expect(stdout).toBe('');
    expect(stderr).toContain('DATABASE_URL');
    expect(status).toBe(1);
  });

  test('would be too late in the API, which loads Drizzle with its own modules', () => {
    expect(start('api').stdout).toContain('/drizzle-orm/entity.js');
  });
});

/** Starts a process of the service without a configuration: it ends once its modules are loaded. */
function start(kind: string) {
  return run([
    '--import',
    resolve('./support/reportDrizzle.ts'),
    resolve(`../../../src/cli/start/${kind}.ts`),
  ]);
}

function run(args: string[]) {
  const { PATH } = process.env;
  return spawnSync(process.execPath, args, { env: { PATH }, encoding: 'utf8' });
}

function resolve(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
