import type { Hex } from 'viem';
import type { KmsKey } from '../signers/kmsSigner.ts';
import type { SignerSettings } from '../signers/signerSettings.ts';
import { ConfigurationError } from './configurationError.ts';
import { ofChain } from './readSettings.ts';
import { readRelayerKeys } from './relayerKeys.ts';
import { readRelayerKeystores } from './relayerKeystores.ts';
import { listOf } from './settingShapes.ts';

export type RelayerSigners = {
  readonly byChain: ReadonlyMap<number, SignerSettings>;
  /** Secrets read from files, which must not be logged. */
  readonly secrets: readonly string[];
};

/**
 * Reads the signers of transactions: private keys, keystores and keys of AWS KMS, in any combination. A
 * variable with `_<chainId>` replaces the one without on that chain. A wallet named twice counts once. For
 * the worker only; no other process may hold a key.
 *
 * @throws ConfigurationError naming variables and files, never a key or a password.
 */
export function readRelayerSigners(
  env: NodeJS.ProcessEnv,
  chains: readonly { chainId: number }[],
): RelayerSigners {
  const problems: string[] = [];
  const opened = new Map<string, Hex | undefined>();
  const secrets = new Set<string>();
  const byChain = new Map<number, SignerSettings>();
  for (const { chainId } of chains) {
    const listed = readRelayerKeys(env, chainId, problems);
    const keystores = readRelayerKeystores(env, chainId, { problems, opened });
    const keys = [...new Set([...listed, ...keystores.keys])];
    const kms = readKmsKeys(env, chainId, problems);
    if (!isAnyNamed(env, chainId)) problems.push(describeMissing(chainId));
    byChain.set(chainId, { keys, kms });
    for (const key of keystores.keys) secrets.add(key).add(key.slice(2));
    if (keystores.password) secrets.add(keystores.password);
  }
  if (problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  return { byChain, secrets: [...secrets] };
}

/** These variables hold keys, also under a misspelt name, lead to keys, or give access to a signing service. */
const signerVariables = ['RELAYER_PRIVATE_', 'RELAYER_KEYSTORE_', 'RELAYER_KMS_', 'AWS_'];

/** The environment without anything that can sign: every process except the worker gets this. */
export function withoutSigners(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfSigners(name)));
}

/** Removes the signers' variables from this process's own environment, before anything reads it. */
export function forgetSigners(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (isOfSigners(name)) delete env[name];
}

function isOfSigners(name: string): boolean {
  return signerVariables.some((start) => name.startsWith(start));
}

function readKmsKeys(env: NodeJS.ProcessEnv, chainId: number, problems: string[]): KmsKey[] {
  const nameOf = ofChain(env, chainId);
  const read = (name: string) => env[nameOf(name)] || undefined;
  const endpoint = read('RELAYER_KMS_ENDPOINT');
  const region = read('RELAYER_KMS_REGION');
  if (endpoint !== undefined && !URL.canParse(endpoint))
    problems.push('RELAYER_KMS_ENDPOINT: expected a URL');
  const keys = [...new Set(listOf(read('RELAYER_KMS_KEY_IDS')))].map((keyId) => {
    // An ARN contains its region: arn:aws:kms:<region>:<account>:key/<id>
    const named = keyId.startsWith('arn:') ? keyId.split(':')[3] || undefined : undefined;
    return {
      keyId,
      region: named ?? region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined),
      endpoint,
    };
  });
  const homeless = keys.find((key) => key.region === undefined);
  if (homeless) problems.push(`RELAYER_KMS_REGION: is required for the key ${homeless.keyId}`);
  return keys;
}

const ways = ['RELAYER_PRIVATE_KEYS', 'RELAYER_KEYSTORE_FILES', 'RELAYER_KMS_KEY_IDS'];

function isAnyNamed(env: NodeJS.ProcessEnv, chainId: number): boolean {
  const nameOf = ofChain(env, chainId);
  return ways.some((name) => listOf(env[nameOf(name)]).length > 0);
}

function describeMissing(chainId: number): string {
  return `RELAYER_PRIVATE_KEYS_${chainId} or ${ways[0]}: is required, one or more private keys (or ${ways[1]}, or ${ways[2]})`;
}
