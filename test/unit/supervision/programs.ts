import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Writes small programs that tests run as children; `dispose` removes them. */
export function createPrograms() {
  const directory = mkdtempSync(join(tmpdir(), 'agreements-programs-'));
  let count = 0;
  return {
    directory,
    write(source: string): string {
      const path = join(directory, `program${count++}.ts`);
      writeFileSync(path, source);
      return path;
    },
    dispose: () => rmSync(directory, { recursive: true }),
  };
}

/** The URL of a source file, for imports in these programs. */
export function sourceUrl(path: string): string {
  return pathToFileURL(fileURLToPath(new URL(`../../../src/platform/${path}`, import.meta.url))).href;
}
