import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of the built console: static files that the API serves. */
export const consoleDirectory = fileURLToPath(new URL('../dist', import.meta.url));

/** The service hashes with WebAssembly, which the pages' policy forbids. Here viem hashes, as in the client. */
const portableKeccak: Plugin = {
  name: 'portable-keccak',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id.endsWith('/keccak.ts') && importer?.includes('/src/protocol/')
      ? fileURLToPath(new URL('../../client/src/viem/keccak.ts', import.meta.url))
      : undefined,
};

/** Addresses in the text of documents stay text, so markdown-it's finder of links is left out. */
const withoutLinkFinder: Plugin = {
  name: 'without-link-finder',
  enforce: 'pre',
  resolveId: (id) => (id === 'linkify-it' ? `\0${id}` : undefined),
  load: (id) => (id === '\0linkify-it' ? 'export class LinkifyIt {}' : undefined),
};

/**
 * Builds the console into `consoleDirectory`: hashed files, no inline script or style. Readers see the old
 * files or the new ones, and two concurrent builds do not disturb each other.
 */
export async function buildConsole(): Promise<void> {
  const unfinished = `${consoleDirectory}.${process.pid}`;
  // Vite goes by this variable, and test runners set it: the pages would hold code for development.
  const { NODE_ENV: environment } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await buildSite({
      from: root,
      pages: ['index.html', 'operators.html'],
      base: '/console/',
      to: unfinished,
    });
    // In one file, for readers who lose the connection once the page is open.
    await buildSite({
      ...{ from: `${root}verify/`, pages: ['index.html'], base: '/verify/', to: `${unfinished}/verify` },
      isWhole: true,
    });
    await rm(consoleDirectory, { recursive: true, force: true });
    await rename(unfinished, consoleDirectory);
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
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

/** Builds pages, with all of their parts, for serving below a path. */
async function buildSite({ from, pages, base, to, isWhole = false }: Site): Promise<void> {
  await build({
    root: from,
    base,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    plugins: [portableKeccak, withoutLinkFinder],
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
