import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/api/config/configurationError.ts';
import { readRelayerKeys, withoutRelayerKeys } from '../../../src/api/config/relayerKeys.ts';

const chains = [{ chainId: 59141 }, { chainId: 84532 }];
const first = `0x${'11'.repeat(32)}`;
const second = `0x${'22'.repeat(32)}`;

describe('readRelayerKeys', () => {
  test('the keys of a chain take the place of the common ones', () => {
    const keys = readRelayerKeys(
      { RELAYER_PRIVATE_KEYS: first, RELAYER_PRIVATE_KEYS_84532: `${first},${second}` },
      chains,
    );
    expect(keys.get(59141)).toEqual([first]);
    expect(keys.get(84532)).toEqual([first, second]);
  });

  test('a key counts once, in whatever spelling it is named twice', () => {
    const upper = 'AB'.repeat(32);
    const keys = readRelayerKeys({ RELAYER_PRIVATE_KEYS: `0x${upper.toLowerCase()}, ${upper}` }, chains);
    expect(keys.get(59141)).toEqual([`0x${upper.toLowerCase()}`]);
  });

  test.each([
    ['a text that is no key', 'not-a-key'],
    ['a number outside the range of the curve', 'f'.repeat(64)],
  ])('%s is refused by its place and never repeated', (_, key) => {
    const read = () => readRelayerKeys({ RELAYER_PRIVATE_KEYS: `${first},${key}` }, chains);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow('RELAYER_PRIVATE_KEYS, key 2: is no private key');
    expect(read).not.toThrow(key);
  });

  test('a chain without a key is named', () => {
    expect(() => readRelayerKeys({ RELAYER_PRIVATE_KEYS_59141: first }, chains)).toThrow(
      'RELAYER_PRIVATE_KEYS_84532 or RELAYER_PRIVATE_KEYS: is required',
    );
  });
});

test('no spelling of the variable reaches a process that must not have keys', () => {
  const env = { PATH: '/bin', RELAYER_PRIVATE_KEYS: first, RELAYER_PRIVATE_KEYS_84532: second };
  expect(withoutRelayerKeys(env)).toEqual({ PATH: '/bin' });
});
