import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { ofChain } from './readSettings.ts';
import { listOf } from './settingShapes.ts';

/**
 * Reads `RELAYER_PRIVATE_KEYS_<chainId>`, or else `RELAYER_PRIVATE_KEYS`: private keys, comma-separated. An
 * invalid key is reported by variable and position, never by its text.
 */
export function readRelayerKeys(env: NodeJS.ProcessEnv, chainId: number, problems: string[]): Hex[] {
  const name = ofChain(env, chainId)('RELAYER_PRIVATE_KEYS');
  return listOf(env[name]).flatMap((key, at) => parseKey(key, `${name}, key ${at + 1}`, problems));
}

function parseKey(text: string, where: string, problems: string[]): Hex[] {
  const hex = text.startsWith('0x') ? text.slice(2).toLowerCase() : text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hex)) {
    const key: Hex = `0x${hex}`;
    try {
      privateKeyToAddress(key);
      return [key];
    } catch {
      // Out of the curve's range: reported below like any other invalid key.
    }
  }
  problems.push(`${where}: is not a private key (64 hex digits)`);
  return [];
}
