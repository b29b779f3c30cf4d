import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as core from '../../client/src/index.ts';
import * as simulate from '../../client/src/simulate/createSimulation.ts';
import * as viem from '../../client/src/viem/index.ts';
import * as webhooks from '../../client/src/webhooks/verifyWebhook.ts';
import { describeMural } from './support/agreements.ts';
import { signWebhook } from './support/signWebhook.ts';
import { createAccount, createClient, stack, walletClientOf } from './support/stack.ts';

const source = fileURLToPath(new URL('../../client/src/', import.meta.url));
const directory = fileURLToPath(new URL('./.examples/', import.meta.url));

type Example = { name: string; code: string };

/** Every `@example` in the client's sources, and every block of its README that is marked as runnable. */
async function findExamples(): Promise<Example[]> {
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const documented = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(source, file), 'utf8');
      const blocks = [...text.matchAll(/@example\n((?: *\*(?: .*)?\n)+?) *\*\//g)];
      return blocks.map(([, block = ''], at) => ({
        name: `${file} ${at}`,
        code: block.replace(/^ *\* ?/gm, ''),
      }));
    }),
  );
  const readme = await readFile(join(source, '../README.md'), 'utf8');
  const shown = [...readme.matchAll(/```ts run\n([\s\S]*?)```/g)];
  return [...documented.flat(), ...shown.map(([, code = ''], at) => ({ name: `README ${at}`, code }))];
}

const entries = {
  core: '../../../client/src/index.ts',
  viem: '../../../client/src/viem/index.ts',
  simulate: '../../../client/src/simulate/createSimulation.ts',
  webhooks: '../../../client/src/webhooks/verifyWebhook.ts',
};
const enough = new Error('enough');
const examples = await findExamples();
const [patron, artist] = [createAccount(), createAccount()];
const client = createClient();
let scope: Record<string, unknown>;

beforeAll(async () => {
  await mkdir(directory, { recursive: true });
  const deployment = describeMural({ patron, artist });
  const record = await viem.deployAgreement({ client, account: patron, ...deployment });
  const secret = `whsec_${'0123456789abcdef'.repeat(4)}`;
  scope = {
    client,
    record,
    agreement: deployment.agreement,
    walletClient: walletClientOf(patron),
    artistWallet: walletClientOf(artist),
    secret,
    request: signWebhook(secret),
    kept: undefined,
    handle: async () => Promise.reject(enough),
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('there are examples to run', () => {
  expect(examples.map(({ name }) => name.split('.ts')[0])).toEqual(
    expect.arrayContaining(['agreementsClient', 'followEvents', 'viem/deployAgreement', 'viem/submitInput']),
  );
});

test.each(examples.map((example) => [example.name, example] as const))(
  '%s runs unchanged',
  async (name, { code }) => {
    const imports = [...code.matchAll(/^import [\s\S]*?;\n/gm)].map(([statement]) => statement);
    const body = imports.reduce((rest, statement) => rest.replace(statement, ''), code);
    const values: readonly (readonly [string, string])[] = [
      ['http://127.0.0.1:3000', stack.baseUrl],
      ['agk_test_…', stack.apiKey],
      ['agr_…', String(Reflect.get(Object(scope.record), 'id'))],
      ['0x…', artist.address],
    ];
    const fill = (text: string) => values.reduce((filled, [from, to]) => filled.replaceAll(from, to), text);
    const file = join(directory, `${name.replace(/\W/g, '_')}.ts`);
    const own = fill(body);
    const names = Object.keys(scope).filter((known) => !new RegExp(`(const|let) ${known}\\b`).test(own));
    const known = new Set(imports.flatMap((line) => line.match(/\w+/g) ?? []));
    const needed = (exported: object) =>
      Object.keys(exported).filter((one) => own.includes(one) && !known.has(one) && known.add(one));
    const text = [
      ...imports.map((statement) => statement.replace("'agreements-client'", `'${entries.core}'`)),
      ...Object.entries({ core, viem, simulate, webhooks }).map(([entry, exported]) => {
        const { [entry]: file = '' }: Record<string, string> = entries;
        return `import { ${needed(exported).join(', ')} } from '${file}';`;
      }),
      `export async function run({ ${names.join(', ')} }) {`,
      own,
      '}',
    ].join('\n');
    await writeFile(file, text);
    const { run }: { run(given: unknown): Promise<void> } = await import(file);
    // An example that handles events ends with the error `enough` at its first event.
    await run(scope).catch((error: unknown) => {
      if (error !== enough) throw error;
    });
  },
);
