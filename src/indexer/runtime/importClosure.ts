import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, normalize } from 'node:path';

/** The imports of the running code: type-only imports are gone by then. */
const relativeImport = /\b(?:from|import)\s*["'](\.[^"']+)["']/g;

/** The code of a module, by its path below the root. */
export type ImportClosure = Map<string, string>;

/**
 * The project's own modules that these entries load, each as its running code: without types, comments and
 * layout. Dynamic imports are not followed.
 */
export function readImportClosure(root: string, entries: readonly string[]): ImportClosure {
  const found: ImportClosure = new Map();
  const visit = (file: string) => {
    if (found.has(file)) return;
    const code = readCode(join(root, file));
    found.set(file, code);
    for (const [, path = ''] of code.matchAll(relativeImport)) visit(normalize(join(dirname(file), path)));
  };
  for (const entry of entries) visit(entry);
  return found;
}

/** The code of each text read so far. An indexer computes the name of its index twice: before and after it waits for the lock. */
const stripped = new Map<string, string>();

/** The code of one module without types, comments and layout. */
export function readCode(path: string): string {
  const text = readFileSync(path, 'utf8');
  const code = stripped.get(text) ?? stripTypes(text);
  stripped.set(text, code);
  return code;
}

function stripTypes(text: string): string {
  const { emitWarning } = process;
  // Node prints a warning that this function is experimental to standard error, between the lines of the log.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text, { mode: 'transform' });
  } finally {
    process.emitWarning = emitWarning;
  }
}
