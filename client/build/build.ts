import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleCli, bundleEntries, bundleVerifier } from './bundleEntries.ts';

/** Writes `dist`: the entry points as ES modules, the command line as one file, and the type declarations. */
const client = fileURLToPath(new URL('../', import.meta.url));
const dist = new URL('../dist/', import.meta.url);

rmSync(dist, { recursive: true, force: true });
await bundleEntries(fileURLToPath(dist));
await bundleVerifier(fileURLToPath(new URL('verify.js', dist)));
await bundleCli(fileURLToPath(new URL('cli.js', dist)));
chmodSync(new URL('cli.js', dist), 0o755);
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
execFileSync(process.execPath, [compiler, '--project', client], { stdio: 'inherit' });
