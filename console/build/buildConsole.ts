import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the built console lies: files that the API serves as they are. */
export const consoleDirectory = fileURLToPath(new URL('../dist', import.meta.url));

/** The service hashes with WebAssembly, which the policy of the pages refuses: here viem hashes, as in the client. */
const portableKeccak: Plugin = {
  name: 'portable-keccak',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id.endsWith('/keccak.ts') && importer?.includes('/src/protocol/')
      ? fileURLToPath(new URL('../../client/src/viem/keccak.ts', import.meta.url))
      : undefined,
};

/**
 * Builds the console into `consoleDirectory`: hashed files, no script or style inside a page. Readers see the former files or the
 * new ones, and two builds at once do not disturb each other.
 */
export async function buildConsole(): Promise<void> {
  const unfinished = `${consoleDirectory}.${process.pid}`;
  try {
    await buildSite({
      from: root,
      pages: ['index.html', 'operators.html'],
      base: '/console/',
      to: unfinished,
    });
    // In one file, for a reader who loses the connection once the page is open.
    await buildSite({
      ...{ from: `${root}verify/`, pages: ['index.html'], base: '/verify/', to: `${unfinished}/verify` },
      isWhole: true,
    });
    await rm(consoleDirectory, { recursive: true, force: true });
    await rename(unfinished, consoleDirectory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

type Site = {
  readonly from: string;
  readonly pages: readonly string[];
  readonly base: string;
  readonly to: string;
  readonly isWhole?: boolean;
};

/** Builds pages, and all that they are made of, to be served below a path. */
async function buildSite({ from, pages, base, to, isWhole = false }: Site): Promise<void> {
  await build({
    root: from,
    base,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    plugins: [portableKeccak],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      target: 'es2022',
      outDir: to,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: pages.map((page) => `${from}${page}`),
        ...(isWhole && { output: { codeSplitting: false } }),
      },
    },
  });
}
