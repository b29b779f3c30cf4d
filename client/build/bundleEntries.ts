import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const source = (file: string) => fileURLToPath(new URL(`../src/${file}`, import.meta.url));

/** The entry points of the package, by file name. */
export const entries = {
  index: source('index.ts'),
  viem: source('viem/index.ts'),
  simulate: source('simulate/index.ts'),
  webhooks: source('webhooks/verifyWebhook.ts'),
};

/** Bundles the entry points: shared code is in separate files, the protocol is included, viem is not. */
export async function bundleEntries(directory: string): Promise<void> {
  await build({
    input: entries,
    external: /^viem(\/|$)/,
    platform: 'neutral',
    plugins: [portableKeccak],
    output: { dir: directory, format: 'esm', minify: false, chunkFileNames: 'shared/[name].js' },
    logLevel: 'warn',
  });
}

/** Bundles the verifier into one file without dependencies; it includes its parts of viem. */
export async function bundleVerifier(file: string): Promise<void> {
  await build({
    input: source('verify/index.ts'),
    platform: 'neutral',
    plugins: [portableKeccak],
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'default'] },
    output: { file, format: 'esm', minify: true, codeSplitting: false },
    logLevel: 'warn',
  });
}

/** Bundles the command line into one file that needs only Node. */
export async function bundleCli(file: string): Promise<void> {
  await build({
    input: source('cli/main.ts'),
    platform: 'node',
    plugins: [portableKeccak],
    output: { file, format: 'esm', minify: true, codeSplitting: false, banner: '#!/usr/bin/env node' },
    logLevel: 'warn',
  });
}

/** The service hashes with WebAssembly, which some runtimes refuse to compile. The package hashes with viem. */
export const portableKeccak: Plugin = {
  name: 'portable-keccak',
  resolveId: {
    filter: { id: /\/keccak\.ts$/ },
    handler: (_, importer) => (importer?.includes('/src/protocol/') ? source('viem/keccak.ts') : undefined),
  },
};
