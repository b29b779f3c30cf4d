import { hash, randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import type { Environment } from '../../protocol/chains.ts';

const secretBytes = 32;
const keyPattern = /^agk_(test|live)_[0-9a-zA-Z]{43,128}$/;
const environmentWord = { testnet: 'test', production: 'live' } as const;

/** A new key for an environment: 256 random bits, shown once and never stored. */
export function createApiKeyText(environment: Environment): string {
  return `agk_${environmentWord[environment]}_${randomBytes(secretBytes).toString('hex')}`;
}

/**
 * The stored hash of a key. The key is as random as the hash is long, so salt or stretching would add
 * nothing.
 */
export function hashApiKey(key: string): Hex {
  return `0x${hash('sha256', key)}`;
}

/** The environment of a text with the form of a key; undefined for any other text. */
export function findKeyEnvironment(text: string): Environment | undefined {
  const word = keyPattern.exec(text)?.[1];
  if (word === undefined) return undefined;
  return word === environmentWord.testnet ? 'testnet' : 'production';
}
