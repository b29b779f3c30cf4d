import { ConfigurationError } from './configurationError.ts';
import { listOf } from './settingShapes.ts';

/** The keys for stored secrets: the first one encrypts, all of them decrypt. */
export type EncryptionKeys = readonly [Buffer, ...Buffer[]];

const howTo = '64 hex digits each, comma-separated (openssl rand -hex 32)';

/**
 * Reads `ENCRYPTION_KEY`: one 256-bit key or several, so that a new key can take over while older ones still
 * decrypt. Undefined if the variable is not set, or empty; there is no default, because everybody would know it.
 *
 * @throws ConfigurationError naming the variable, never a key. Also for a value without any key, such as a comma:
 * whoever set it does not expect the installation's own key.
 */
export function readEncryptionKeys(env: NodeJS.ProcessEnv): EncryptionKeys | undefined {
  if (!env.ENCRYPTION_KEY) return undefined;
  const texts = listOf(env.ENCRYPTION_KEY);
  const isEach = texts.length > 0 && texts.every((text) => /^[0-9a-f]{64}$/i.test(text));
  const [first, ...rest] = texts.map((text) => Buffer.from(text, 'hex'));
  if (!isEach) throw new ConfigurationError([`ENCRYPTION_KEY: expected ${howTo}`]);
  return first && [first, ...rest];
}
