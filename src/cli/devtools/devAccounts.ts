import { readFileSync, writeFileSync } from 'node:fs';
import { type Hex, isHex, toHex } from 'viem';
import { generatePrivateKey, mnemonicToAccount } from 'viem/accounts';
import { z } from 'zod';

/** Public knowledge: every Anvil and Hardhat chain funds the accounts of this phrase. */
const wellKnownPhrase = 'test test test test test test test test test test test junk';
const testAccountCount = 10;
const relayerCount = 4;

export type TestAccount = { address: Hex; privateKey: Hex };

/** The accounts that Anvil funds by itself. The stack uses none of them, so their nonces are free for tests. */
export function buildTestAccounts(): TestAccount[] {
  return Array.from({ length: testAccountCount }, (_, addressIndex) => {
    const account = mnemonicToAccount(wellKnownPhrase, { addressIndex });
    const privateKey = account.getHdKey().privateKey;
    if (!privateKey) throw new Error(`account ${addressIndex} of the phrase has no private key`);
    return { address: account.address, privateKey: toHex(privateKey) };
  });
}

/** The relayer keys of this directory, generated at the first start. They are worthless outside its chains. */
export function ensureRelayerKeys(file: string): Hex[] {
  const known = findRelayerKeys(file);
  if (known) return known;
  const keys = Array.from({ length: relayerCount }, () => generatePrivateKey());
  writeFileSync(file, `${JSON.stringify(keys)}\n`, { mode: 0o600 });
  return keys;
}

const keysShape = z.array(z.string().refine((text): text is Hex => isHex(text) && text.length === 66)).min(1);

function findRelayerKeys(file: string): Hex[] | null {
  try {
    return keysShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
