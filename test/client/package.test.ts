import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PackedClient, packClient, root } from './support/packedClient.ts';
import { createAccount, rpcUrl, stack } from './support/stack.ts';

const run = promisify(execFile);
const environment = { AGREEMENTS_URL: stack.baseUrl, AGREEMENTS_API_KEY: stack.apiKey, WALLET_URL: rpcUrl };

let packed: PackedClient;
beforeAll(async () => {
  packed = await packClient();
});
afterAll(() => packed?.dispose());

/** Bundles a module that imports the package into one file, as for a browser. */
async function bundle(text: string, format: 'es' | 'iife', external: RegExp[] = []): Promise<string> {
  const file = join(packed.directory, `entry-${format}-${external.length}.mjs`);
  await writeFile(file, text);
  const bundler = await rolldown({ input: file, external, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundler.generate({ format, minify: true, name: 'agreements' });
  return output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('');
}

describe('the packed client', () => {
  test('holds its entry points, their types and its documents, and of the service only the protocol', () => {
    const byKind = Object.groupBy(packed.files, (file) => (file.startsWith('dist/types/') ? 'types' : 'own'));
    expect(byKind.own?.filter((file) => !file.startsWith('dist/shared/'))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'MIGRATION.md',
      'README.md',
      'dist/cli.js',
      'dist/index.js',
      'dist/simulate.js',
      'dist/verify.js',
      'dist/viem.js',
      'dist/webhooks.js',
      'package.json',
    ]);
    for (const file of byKind.types ?? [])
      expect(file).toMatch(/^dist\/types\/(client\/src|src\/protocol|abis)\/[\w/]+\.d\.ts$/);
  });

  test.each([
    ['the core', "export * from 'agreements-client';", 8_000],
    [
      'core and viem flows',
      "export * from 'agreements-client'; export * from 'agreements-client/viem';",
      14_000,
    ],
    ['the verifier, with all that it needs', "export * from 'agreements-client/verify';", 60_000],
  ])('weighs little in a page: %s', async (_, text, mostBytes) => {
    const code = await bundle(text, 'es', [/^viem/]);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(mostBytes);
  });

  test("needs nothing of Node outside of Node: a worker has only the web's functions", async () => {
    const code = await bundle(
      "export * from 'agreements-client'; export * from 'agreements-client/viem'; export * from 'agreements-client/webhooks';",
      'iife',
    );
    const web = {
      AbortController,
      AbortSignal,
      Headers,
      Request,
      Response,
      TextDecoder,
      TextEncoder,
      URL,
      URLSearchParams,
    };
    const scope: Record<string, unknown> = {
      ...web,
      ...{ atob, btoa, clearTimeout, crypto, fetch, setTimeout, environment, key: createAccount() },
    };
    const story = `(async () => {
      const client = new agreements.AgreementsClient({ baseUrl: environment.AGREEMENTS_URL, apiKey: environment.AGREEMENTS_API_KEY });
      const record = await agreements.deployAgreement({
        client, account: key, chainId: 59141, displayName: 'From a worker',
        agreement: { metadata: { id: 'did:example:worker', name: 'Worker' }, variables: {}, content: { type: 'md', data: '' },
          execution: { initialize: { initialState: 'A', data: {} }, states: { A: {}, B: {} },
            inputs: { go: { data: { note: { type: 'string' } } } }, transitions: [{ from: 'A', to: 'B', conditions: [{ input: 'go' }] }] } },
      });
      const input = await agreements.submitInput({ client, account: key, agreementId: record.id, inputId: 'go', values: { note: 'ä' } });
      const refusal = await agreements.verifyWebhook('{}', {}, 'whsec_' + '0'.repeat(64)).catch((error) => error.reason);
      return [record.status, input.toState, refusal].join(' ');
    })()`;
    expect(await vm.runInNewContext(`${code}\n${story}`, scope)).toBe('Deployed B missing_headers');
  });

  test('runs the program of its README unchanged, in under 40 lines', async () => {
    const readme = await readFile(join(root, 'client/README.md'), 'utf8');
    const [document, program] = ['json', 'js'].map((language) => readCode(readme, language)[0] ?? '');
    expect(program?.trim().split('\n').length).toBeLessThan(40);
    await writeFile(join(packed.directory, 'loan.json'), document ?? '');
    await writeFile(join(packed.directory, 'loan.mjs'), program ?? '');
    const { stdout } = await run(process.execPath, ['loan.mjs'], {
      cwd: packed.directory,
      env: { PATH: process.env.PATH, ...environment },
    });
    expect(stdout.trim().split('\n')).toEqual(['nothing → OFFERED', 'OFFERED → LENT', 'LENT → RETURNED']);
  });

  test('brings a command line that runs by itself', async () => {
    const cli = join(packed.directory, 'node_modules/agreements-client/dist/cli.js');
    const { stdout } = await run(cli, ['list', '--json'], {
      env: { PATH: process.env.PATH, ...environment },
    });
    expect(Array.isArray(JSON.parse(stdout))).toBe(true);
  });
});

/** The code blocks of one language in a document. */
function readCode(markdown: string, language: string): string[] {
  return [...markdown.matchAll(/```(\w+)[^\n]*\n([\s\S]*?)```/g)]
    .filter(([, named]) => named === language)
    .map(([, , code]) => code ?? '');
}
