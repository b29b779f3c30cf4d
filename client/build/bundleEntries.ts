import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const source = (file: string) => fileURLToPath(new URL(`../src/${file}`, import.meta.url));

/** The entry points of the package, by the name of their file. */
export const entries = {
  index: source('index.ts'),
  viem: source('viem/index.ts'),
  simulate: source('simulate/index.ts'),
  webhooks: source('webhooks/verifyWebhook.ts'),
};

/** Bundles the entry points: what they share is in files of its own, the protocol room is inside, viem stays outside. */
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

/** Bundles the verifier into one file that needs nothing at all: what it uses of viem is inside. */
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

/** Bundles the command line into one file that needs nothing but Node. */
export async function bundleCli(file: string): Promise<void> {
  await build({
    input: source('cli/main.ts'),
    platform: 'node',
    plugins: [portableKeccak],
    output: { file, format: 'esm', minify: true, codeSplitting: false, banner: '#!/usr/bin/env node' },
    logLevel: 'warn',
  });
}

/** The service hashes with WebAssembly, which some runtimes refuse to compile: the package hashes with its peer. */
export const portableKeccak: Plugin = {
  name: 'portable-keccak',
  resolveId: {
    filter: { id: /\/keccak\.ts$/ },
    handler: (_, importer) => (importer?.includes('/src/protocol/') ? source('viem/keccak.ts') : undefined),
  },
};
