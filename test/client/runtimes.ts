import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { generatePrivateKey } from 'viem/accounts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { launchBrowser } from '../browser/support/launchBrowser.ts';
import { createLocalStacks } from '../e2e/support/localStack.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { moral, type StoryPlace, story } from './support/story.ts';

/**
 * Packs the client, installs it with npm into an empty project, and runs one story with it on every available
 * runtime: each Node of this machine, Chromium, and a worker runtime without Node's modules. Exits with 1 if
 * one of them gives another result.
 */
const run = promisify(execFile);
const root = new URL('../../', import.meta.url).pathname;
const viemVersion = '2.57.1';
const workerRuntime = 'workerd@1.20261117.1';

const directory = await mkdtemp(join(tmpdir(), 'agreements-runtimes-'));
const pagePort = await findFreePort();
const pageOrigin = `http://127.0.0.1:${pagePort}`;
const stacks = await createLocalStacks({ CORS_ORIGINS: pageOrigin });
try {
  await install();
  const { stack } = await stacks.start();
  const place = (): StoryPlace => ({
    baseUrl: stack.baseUrl,
    apiKey: stack.apiKey,
    privateKey: generatePrivateKey(),
  });
  const runtimes: [string, () => Promise<string>][] = [
    ...(await listNodes()).map(({ version, file }): [string, () => Promise<string>] => [
      `Node ${version}`,
      () => tellInNode(file, place()),
    ]),
    ['Chromium', () => tellInBrowser(place())],
    [workerRuntime, () => tellInWorker(place())],
  ];
  for (const [name, tell] of runtimes) {
    const told = await tell().catch((error: unknown) => String(error));
    const isRight = told === moral;
    console.log(`${isRight ? '✓' : '✗'} ${name}${isRight ? '' : `: ${told}`}`);
    if (!isRight) process.exitCode = 1;
  }
} finally {
  await stacks.dispose();
  await rm(directory, { recursive: true, force: true });
}

async function install(): Promise<void> {
  const environment = { ...process.env, npm_config_loglevel: 'error' };
  const packing = { cwd: join(root, 'client'), env: environment };
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], packing);
  const [packed]: { filename: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  if (!packed) throw new Error('nothing was packed');
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await cp(join(root, '.npmrc'), join(directory, '.npmrc'));
  const words = ['install', `./${packed.filename}`, `viem@${viemVersion}`, workerRuntime];
  await run('npm', words, { cwd: directory, env: environment });
  await writeFile(join(directory, 'story.mjs'), story);
}

/** The Nodes in PATH, each version once. npm puts the project's own Node before the machine's. */
async function listNodes(): Promise<{ version: string; file: string }[]> {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const files = [
    process.execPath,
    ...paths.filter((file) => existsSync(file)).map((file) => realpathSync(file)),
  ];
  const found = new Map<string, string>();
  for (const file of files) {
    const version = (await run(file, ['--version'])).stdout.trim();
    if (!found.has(version)) found.set(version, file);
  }
  return [...found].map(([version, file]) => ({ version, file }));
}

async function tellInNode(file: string, place: StoryPlace): Promise<string> {
  const program = `import { tell } from './story.mjs'; console.log(await tell(${JSON.stringify(place)}));`;
  const words = ['--input-type=module', '--eval', program];
  return (await run(file, words, { cwd: directory, env: {} })).stdout.trim();
}

/** Bundles the story and everything it needs into one module. */
async function bundle(file: string): Promise<string> {
  const bundler = await rolldown({ input: join(directory, file), platform: 'browser', logLevel: 'silent' });
  const { output } = await bundler.generate({ format: 'es', codeSplitting: false });
  return output[0].code;
}

/** Runs the story in a page of another origin, which the service allows. */
async function tellInBrowser(place: StoryPlace): Promise<string> {
  const code = await bundle('story.mjs');
  const server = createServer(({ url }, response) => {
    if (url === '/story.mjs') response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  });
  await new Promise<void>((resolve) => server.listen(pagePort, '127.0.0.1', resolve));
  const browser = await launchBrowser();
  try {
    const page = await browser.context.newPage();
    await page.goto(pageOrigin);
    const call = `import('/story.mjs').then(({ tell }) => tell(${JSON.stringify(place)}))`;
    return String(await page.evaluate(call));
  } finally {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function tellInWorker(place: StoryPlace): Promise<string> {
  const worker = `
    import { tell } from './story.mjs';
    export default { fetch: async () => new Response(await tell(${JSON.stringify(place)}).catch(String)) };`;
  await writeFile(join(directory, 'entry.mjs'), worker);
  await writeFile(join(directory, 'worker.js'), await bundle('entry.mjs'));
  const port = await findFreePort();
  const configuration = `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = .story),
        (name = "internet", network = (allow = ["public", "private"]))
      ],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
    );
    const story :Workerd.Worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2025-06-01"
    );`;
  await writeFile(join(directory, 'worker.capnp'), configuration);
  const { bin }: { bin: Record<string, string> } = JSON.parse(
    await readFile(join(directory, 'node_modules/workerd/package.json'), 'utf8'),
  );
  const program = join(directory, 'node_modules/workerd', bin.workerd ?? '');
  const child = spawn(program, ['serve', 'worker.capnp'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const ask = () => fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    return await (await waitUntil('the worker answers', ask)).text();
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  }
}
