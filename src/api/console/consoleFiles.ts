import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export type ConsoleFile = {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly etag: string;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
};

const directory = fileURLToPath(new URL('../../../console/dist', import.meta.url));

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The console's files by their path below `/console/`, read once; empty if the console is not built. */
export function readConsoleFiles(): ReadonlyMap<string, ConsoleFile> {
  return new Map(
    listFiles().flatMap((path): [string, ConsoleFile][] => {
      const contentType = contentTypes[extname(path)];
      if (contentType === undefined) return [];
      const body = new Uint8Array(readFileSync(join(directory, path)));
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      const isHashed = /^(verify\/)?assets\//.test(path);
      return [[path, { body, zipped: new Uint8Array(gzipSync(body)), contentType, etag, isHashed }]];
    }),
  );
}

function listFiles(): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
