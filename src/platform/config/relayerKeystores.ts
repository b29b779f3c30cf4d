import { readFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { decryptKeystore } from '../signers/keystore.ts';
import { ofChain } from './readSettings.ts';
import { listOf } from './settingShapes.ts';

export type OpenedKeystores = { readonly keys: readonly Hex[]; readonly password: string | undefined };

/**
 * Reads `RELAYER_KEYSTORE_FILES`, encrypted Web3 keystores of version 3, comma-separated, with one password
 * for all in `RELAYER_KEYSTORE_PASSWORD_FILE`; each with `_<chainId>` for one chain. Faults are reported by
 * variable and file. A file that serves several chains is decrypted once; `opened` is the cache.
 */
export function readRelayerKeystores(
  env: NodeJS.ProcessEnv,
  chainId: number,
  { problems, opened }: { problems: string[]; opened: Map<string, Hex | undefined> },
): OpenedKeystores {
  const nameOf = ofChain(env, chainId);
  const filesName = nameOf('RELAYER_KEYSTORE_FILES');
  const passwordName = nameOf('RELAYER_KEYSTORE_PASSWORD_FILE');
  const files = listOf(env[filesName]);
  if (files.length === 0) return { keys: [], password: undefined };
  const passwordFile = env[passwordName];
  if (!passwordFile) {
    problems.push(`${passwordName}: is required if ${filesName} is set`);
    return { keys: [], password: undefined };
  }
  const password = read(passwordFile, passwordName, problems)?.replace(/\r?\n$/, '');
  if (password === undefined) return { keys: [], password };
  const keys = files.flatMap((file) => {
    // The same file with another password is another keystore.
    const memo = `${file}\n${passwordFile}`;
    if (!opened.has(memo)) opened.set(memo, open(file, { password, name: filesName, problems }));
    return opened.get(memo) ?? [];
  });
  return { keys, password };
}

function open(
  file: string,
  { password, name, problems }: { password: string; name: string; problems: string[] },
): Hex | undefined {
  const text = read(file, name, problems);
  if (text === undefined) return undefined;
  try {
    return decryptKeystore(text, password);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push(`${name}, ${file}: ${error.message}`);
    return undefined;
  }
}

function read(file: string, name: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    problems.push(`${name}, ${file}: cannot be read (${code})`);
    return undefined;
  }
}
