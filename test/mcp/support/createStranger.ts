import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { runAdmin } from '../../../src/cli/admin/runAdmin.ts';
import { stack } from '../../client/support/stack.ts';
import type { Door } from './connectAgent.ts';

/** Creates another principal of the same service, which may do everything and owns nothing. */
export async function createStranger(): Promise<Door> {
  const name = `stranger-${randomBytes(6).toString('hex')}`;
  await administer('principals', 'create', name);
  await administer('entitlements', 'set', name, '*', 'free_allowlist');
  const { key } = z.looseObject({ key: z.string() }).parse(await administer('keys', 'create', name));
  return { baseUrl: stack.baseUrl, apiKey: key };
}

async function administer(...words: string[]): Promise<unknown> {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const env = { DATABASE_URL: stack.databaseUrl };
  const code = await runAdmin({ words: [...words, '--json'], env, print, printError: print });
  if (code !== 0) throw new Error(printed.join('\n'));
  return JSON.parse(printed.join('\n'));
}
