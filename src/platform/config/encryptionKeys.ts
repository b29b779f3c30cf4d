import { ConfigurationError } from './configurationError.ts';

/** The keys of what is stored encrypted: the first encrypts, each of them decrypts what was encrypted with it. */
export type EncryptionKeys = readonly [Buffer, ...Buffer[]];

const howTo = '64 hex digits each, comma-separated (openssl rand -hex 32)';

/**
 * Reads `ENCRYPTION_KEY`: one key of 256 bits, or several, so that a new one can take over while older ones still decrypt what
 * they have encrypted. Undefined where none is named: a default that everybody knows would be none.
 *
 * @throws ConfigurationError naming the variable, never a key.
 */
export function readEncryptionKeys(env: NodeJS.ProcessEnv): EncryptionKeys | undefined {
  const listed = (env.ENCRYPTION_KEY ?? '').split(',').map((text) => text.trim());
  const texts = listed.filter((text) => text !== '');
  const isEach = texts.every((text) => /^[0-9a-f]{64}$/i.test(text));
  const [first, ...rest] = texts.map((text) => Buffer.from(text, 'hex'));
  if (!isEach) throw new ConfigurationError([`ENCRYPTION_KEY: expected ${howTo}`]);
  return first && [first, ...rest];
}
