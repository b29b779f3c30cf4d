import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { ConfigurationError } from './configurationError.ts';

/** The private keys of the relayer wallets by chain. Read by the worker alone; no other process may hold them. */
export type RelayerKeys = ReadonlyMap<number, readonly Hex[]>;

/**
 * Reads `RELAYER_PRIVATE_KEYS` (for every chain) and `RELAYER_PRIVATE_KEYS_<chainId>` (instead of it, for one chain),
 * comma-separated. A wallet named twice counts once.
 *
 * @throws ConfigurationError naming the variable, never the key.
 */
export function readRelayerKeys(env: NodeJS.ProcessEnv, chains: readonly { chainId: number }[]): RelayerKeys {
  const problems: string[] = [];
  const keys = new Map<number, readonly Hex[]>();
  for (const { chainId } of chains) {
    const own = `RELAYER_PRIVATE_KEYS_${chainId}`;
    const name = env[own] ? own : 'RELAYER_PRIVATE_KEYS';
    const listed = (env[name] ?? '').split(',').map((key) => key.trim());
    const parsed = listed
      .filter((key) => key !== '')
      .map((key, at) => parseKey(key, `${name}, key ${at + 1}`, problems));
    if (parsed.length === 0)
      problems.push(`${own} or RELAYER_PRIVATE_KEYS: is required, one or more private keys`);
    keys.set(chainId, [...new Set(parsed.filter((key) => key !== undefined))]);
  }
  if (problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  return keys;
}

/** The environment without any relayer key: what every process but the worker is given. */
export function withoutRelayerKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('RELAYER_PRIVATE_KEYS')));
}

function parseKey(text: string, where: string, problems: string[]): Hex | undefined {
  const hex = text.startsWith('0x') ? text.slice(2).toLowerCase() : text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hex)) {
    const key: Hex = `0x${hex}`;
    try {
      privateKeyToAddress(key);
      return key;
    } catch {
      // Out of the curve's range: reported below like any other text that is no key.
    }
  }
  problems.push(`${where}: is no private key (64 hex digits)`);
  return undefined;
}
