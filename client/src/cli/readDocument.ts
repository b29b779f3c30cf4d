import { findLostNumber } from '../../../src/protocol/lostNumber.ts';
import { findRepeatedName } from '../../../src/protocol/repeatedName.ts';
import { CliError } from './cliError.ts';
import { readTextFile } from './readFile.ts';
import type { Terminal } from './terminal.ts';

export type JsonObject = Record<string, unknown>;

/**
 * A JSON object from a file, or from standard input if the file is `-`.
 *
 * @throws CliError for anything else, and if an object has a name twice, or a number would be read as another one: what would be
 * signed is not all that is written.
 */
export async function readDocument(terminal: Terminal, file: string): Promise<JsonObject> {
  const text =
    file === '-' ? await terminal.readInput('the JSON') : await readTextFile(file, terminal.stopped);
  const name = file === '-' ? 'The standard input' : file;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) throw new CliError(`${name} must hold a JSON object.`);
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const repeated = findRepeatedName(text);
  if (repeated) {
    const where = `see line ${lineOf(repeated.offset)}`;
    throw new CliError(`${name} has ${JSON.stringify(repeated.name)} twice in one object: ${where}.`);
  }
  const lost = findLostNumber(text);
  if (!lost) return value;
  throw new CliError(
    `${name} has a number in line ${lineOf(lost.offset)} that would be read as ${lost.read}. Write it as text.`,
  );
}

/** `NAME=VALUE`, each name once; every value is a text. @throws CliError for anything else. */
export function readPairs(pairs: readonly string[], option: string): Record<string, string> {
  const read: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new CliError(`${option} takes NAME=VALUE, not ${JSON.stringify(pair)}.`);
    const name = pair.slice(0, at);
    if (Object.hasOwn(read, name)) throw new CliError(`${option} names ${name} twice.`);
    read[name] = pair.slice(at + 1);
  }
  return read;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
