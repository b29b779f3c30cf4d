import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgreementsClient } from '../agreementsClient.ts';
import { CliError, exitCodes } from './cliError.ts';
import type { Terminal } from './terminal.ts';

export type Settings = { readonly baseUrl: string; readonly apiKey: string };

type Environment = Terminal['env'];

/** The user's own file: `agreements/config.json` in the configuration folder. */
export function settingsFile(env: Environment): string {
  const home = env.HOME || homedir();
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(home, '.config');
  return join(folder, 'agreements', 'config.json');
}

export function writeSettings(env: Environment, settings: Settings): string {
  const file = settingsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  // An existing file would keep its mode otherwise.
  chmodSync(file, 0o600);
  return file;
}

export function forgetSettings(env: Environment): void {
  rmSync(settingsFile(env), { force: true });
}

/**
 * The service and the key: from the options, or else the environment, or else the last login. The key of a login is only
 * used for its service.
 *
 * @throws CliError if one of them is missing.
 */
export function readSettings(env: Environment, given: Partial<Settings>): Settings {
  const saved = readSaved(env);
  const baseUrl = given.baseUrl || env.AGREEMENTS_URL || saved.baseUrl;
  const isSaved = withoutEnd(baseUrl) === withoutEnd(saved.baseUrl);
  const apiKey = given.apiKey || env.AGREEMENTS_API_KEY || (isSaved ? saved.apiKey : undefined);
  if (!baseUrl)
    throw new CliError('No service is known: run agreements login, or set AGREEMENTS_URL.', exitCodes.access);
  if (!apiKey)
    throw new CliError(
      `No API key is known for ${withoutUser(baseUrl)}: run agreements login, or set AGREEMENTS_API_KEY.`,
      exitCodes.access,
    );
  return { baseUrl, apiKey };
}

/** @throws CliError for a malformed URL or key. */
export function openClient({ baseUrl, apiKey }: Settings): AgreementsClient {
  try {
    if (!isAddress(baseUrl)) throw new TypeError('no address');
    return new AgreementsClient({ baseUrl, apiKey });
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('apiKey'))
      throw new CliError('The API key has characters that no API key can have.', exitCodes.access);
    throw new CliError(
      `The service's address must be a URL with http:// or https:// and without a user, not ${withoutUser(baseUrl)}.`,
    );
  }
}

/** Whether requests can go there: `fetch` refuses a URL with a user, and quotes it in its error. */
export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** An address to show: its user and password may be secret. */
export function withoutUser(baseUrl: string): string {
  return baseUrl.replace(/.*@/s, '…@');
}

/** Addresses that differ only in these ends are the same service. */
function withoutEnd(baseUrl: string | undefined): string | undefined {
  return baseUrl?.replace(/(\/v0)?\/*$/, '');
}

function readSaved(env: Environment): Partial<Settings> {
  const file = settingsFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    const read = (name: string) => {
      const member: unknown = value && typeof value === 'object' ? Reflect.get(value, name) : undefined;
      return typeof member === 'string' ? { [name]: member } : {};
    };
    return { ...read('baseUrl'), ...read('apiKey') };
  } catch {
    throw new CliError(`${file} is not JSON: run agreements login again.`);
  }
}
