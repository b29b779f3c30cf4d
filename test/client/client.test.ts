import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleStory } from '../../src/api/http/exampleStory.ts';
import { findDeployment } from '../service/support/deployments.ts';
import { type StandInWorker, startStandInWorker } from '../service/support/standInWorker.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from '../service/support/testChain.ts';
import { startTestService, type TestService } from '../service/support/testService.ts';
import { waitUntil } from '../support/waitUntil.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain?.stop());

/** Runs a program of a package with the Node that runs the tests, and returns what it prints. */
async function run(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: root, env: { PATH: process.env.PATH ?? '', ...env } });
  const printed: string[] = [];
  child.stdout.on('data', (chunk) => printed.push(String(chunk)));
  child.stderr.on('data', (chunk) => printed.push(String(chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${printed.join('')}`);
  return printed.join('');
}

type Profile = { CLIENT_PROFILE?: string };

/** A service that sends what it stores; the chain is another one's where a permit must be good again. */
async function startService(env: Profile): Promise<{ service: TestService; worker: StandInWorker }> {
  const service = await startTestService({ rpcUrls: { [chainId]: chain.rpcUrl }, env });
  await offerWallet(service, chain);
  return { service, worker: await startStandInWorker(service, chain) };
}

describe('a client that a public generator makes of the document', () => {
  test.each([
    ['of the default profile', {}, 200],
    ['of the profile for clients of the hosted service', { CLIENT_PROFILE: 'shodai' }, 201],
  ] as const)('%s is typed without a fault, and works', async (_, env, created) => {
    const directory = await mkdtemp(join(tmpdir(), 'agreements-client-'));
    const snapshot = await chain.client.snapshot();
    const { service, worker } = await startService(env);
    try {
      const { key } = await service.createPrincipal();
      const documentFile = join(directory, 'openapi.json');
      await writeFile(documentFile, await (await fetch(`${service.baseUrl}/v0/openapi.json`)).text());
      await run(['node_modules/oazapfts/dist/cli.js', documentFile, join(directory, 'agreements.ts')]);
      await cp(join(root, 'test/client/program'), directory, { recursive: true });
      await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
      await writeFile(join(directory, 'story.json'), JSON.stringify(exampleStory));

      await run(['node_modules/typescript/bin/tsc', '--project', directory]);
      const { signer } = exampleStory.signedDeployment;
      const folding = waitUntil('the deployment is stored', () => findDeployment(service, signer));
      const [printed] = await Promise.all([
        run([join(directory, 'dist/useClient.js')], {
          BASE_URL: service.baseUrl,
          API_KEY: key,
          CREATED: String(created),
        }),
        folding.then(worker.fold.bind(worker)),
      ]);
      expect(printed.trim().split('\n').at(-1)).toBe('deployed, moved, read and listed');
    } finally {
      await worker.stop();
      await service.close();
      await chain.client.revert({ id: snapshot });
      await rm(directory, { recursive: true });
    }
  });
});
