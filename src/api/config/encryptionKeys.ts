import { ConfigurationError } from './configurationError.ts';

/** The keys of what is stored encrypted: the first encrypts, each of them decrypts what was encrypted with it. */
export type EncryptionKeys = readonly [Buffer, ...Buffer[]];

const howTo = '64 hex digits each, comma-separated (openssl rand -hex 32)';

/**
 * Reads `ENCRYPTION_KEY`: one key of 256 bits, or several, so that a new one can take over while older ones still decrypt what
 * they have encrypted. There is no default: a key that everybody knows would be none.
 *
 * @throws ConfigurationError naming the variable, never a key.
 */
export function readEncryptionKeys(env: NodeJS.ProcessEnv): EncryptionKeys {
  const listed = (env.ENCRYPTION_KEY ?? '').split(',').map((text) => text.trim());
  const texts = listed.filter((text) => text !== '');
  const isEach = texts.every((text) => /^[0-9a-f]{64}$/i.test(text));
  const [first, ...rest] = texts.map((text) => Buffer.from(text, 'hex'));
  if (!first) throw new ConfigurationError([`ENCRYPTION_KEY: is required, ${howTo}`]);
  if (!isEach) throw new ConfigurationError([`ENCRYPTION_KEY: expected ${howTo}`]);
  return [first, ...rest];
}
