import { Keystore } from 'ox';
import type { Hex, PrivateKeyAccount } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CliError } from './cliError.ts';
import { readTextFile } from './readFile.ts';
import type { Terminal } from './terminal.ts';

export type SignerOptions = {
  readonly keystore?: string | undefined;
  readonly passwordFile?: string | undefined;
};

/**
 * The signing account: from a keystore (Web3 Secret Storage, version 3), or from AGREEMENTS_PRIVATE_KEY. Keys
 * are never taken from the command line, which other users of the machine can see.
 *
 * @throws CliError if there is no keystore, or if the password is wrong.
 */
export async function openSigner(
  { env, stopped }: Pick<Terminal, 'env' | 'stopped'>,
  options: SignerOptions,
): Promise<PrivateKeyAccount> {
  const keystore = options.keystore ?? env.AGREEMENTS_KEYSTORE;
  if (keystore) {
    const password = await readPassword({ env, stopped }, options);
    return openKeystore(keystore, { password, stopped });
  }
  const key = env.AGREEMENTS_PRIVATE_KEY;
  if (!key)
    throw new CliError('There is no key to sign with: set AGREEMENTS_PRIVATE_KEY, or name a --keystore.');
  return openKey(key, 'AGREEMENTS_PRIVATE_KEY');
}

async function readPassword(
  { env, stopped }: Pick<Terminal, 'env' | 'stopped'>,
  { passwordFile }: SignerOptions,
): Promise<string> {
  if (passwordFile !== undefined) return (await readTextFile(passwordFile, stopped)).replace(/\r?\n$/, '');
  const password = env.AGREEMENTS_KEYSTORE_PASSWORD;
  if (password !== undefined) return password;
  throw new CliError(
    'The keystore needs a password: set AGREEMENTS_KEYSTORE_PASSWORD, or name a --password-file.',
  );
}

async function openKeystore(
  file: string,
  { password, stopped }: { password: string; stopped: AbortSignal },
): Promise<PrivateKeyAccount> {
  const text = await readTextFile(file, stopped);
  let key: Hex;
  let address: unknown;
  try {
    const keystore: Keystore.Keystore & { readonly address?: unknown } = JSON.parse(text, withSmallNames);
    // The checksum covers the password, but not the cipher: another one would yield another key without an error.
    if (keystore.version !== 3 || keystore.crypto.cipher !== 'aes-128-ctr')
      throw new RangeError('another format');
    key = Keystore.decrypt(keystore, await Keystore.toKeyAsync(keystore, { password }));
    address = keystore.address;
  } catch {
    throw new CliError(
      `${file} is not a keystore of version 3 with the cipher aes-128-ctr, or the password is wrong.`,
    );
  }
  const account = openKey(key, file);
  // Most programs write it; an empty one is none.
  if (typeof address === 'string' && address !== '' && !isAddressOf(account, address))
    throw new CliError(`${file} holds the key of ${account.address}, but names ${address}.`);
  return account;
}

/** Some programs write names with capitals, such as `Crypto`. */
function withSmallNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

function isAddressOf(account: PrivateKeyAccount, address: string): boolean {
  return account.address.slice(2).toLowerCase() === address.replace(/^0x/i, '').toLowerCase();
}

function openKey(key: string, where: string): PrivateKeyAccount {
  const hex = key.startsWith('0x') ? key.slice(2) : key;
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new CliError(`${where} must hold a private key: 64 hex digits.`);
  try {
    return privateKeyToAccount(`0x${hex}`);
  } catch {
    throw new CliError(`${where} holds a private key that is 0 or too large.`);
  }
}
