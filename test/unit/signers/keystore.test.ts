import { createCipheriv, scryptSync } from 'node:crypto';
import { concat, hexToBytes, keccak256 } from 'viem';
import { describe, expect, test } from 'vitest';
import { decryptKeystore } from '../../../src/platform/signers/keystore.ts';
import { sealKeystore } from '../../support/sealKeystore.ts';

/** An example published with the format. */
const key = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const password = 'testpassword';
const withPbkdf2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
/** An example from geth. Its key starts with a zero byte that was left out. */
const withScrypt = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: 'e0c41130a323adc1446fc82f724bca2f' },
    ciphertext: '9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 2,
      r: 8,
      p: 1,
      salt: '711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63',
    },
    mac: 'd5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5',
  },
  version: 3,
};

describe('a keystore of version 3', () => {
  test.each([
    ['pbkdf2', withPbkdf2, password, key],
    ['scrypt', withScrypt, 'foo', '0x00fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35'],
  ])('with %s gives its key for its password', (_, keystore, itsPassword, itsKey) => {
    expect(decryptKeystore(JSON.stringify(keystore), itsPassword)).toBe(itsKey);
  });

  test('that takes more memory than Node gives by default is opened', () => {
    const salt = '22'.repeat(32);
    const derived = scryptSync(password, Buffer.from(salt, 'hex'), 32, {
      N: 2 ** 18,
      r: 8,
      p: 1,
      maxmem: 2 ** 29,
    });
    const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), Buffer.alloc(16));
    const ciphertext = Buffer.concat([cipher.update(hexToBytes(key)), cipher.final()]);
    const crypto = {
      ...withScrypt.crypto,
      cipherparams: { iv: '00'.repeat(16) },
      ciphertext: ciphertext.toString('hex'),
      kdfparams: { dklen: 32, n: 2 ** 18, r: 8, p: 1, salt },
      mac: keccak256(concat([derived.subarray(16, 32), ciphertext])),
    };
    expect(decryptKeystore(JSON.stringify({ version: 3, crypto }), password)).toBe(key);
  });

  test('names its address in either spelling, and that must be the one of the key', () => {
    const sealed = JSON.parse(sealKeystore(key, password));
    const named = (address: string) => JSON.stringify({ ...sealed, address });
    for (const address of [
      '008aeeda4d805471df9b2a5b0f38a0c3bcba786b',
      '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b',
    ])
      expect(decryptKeystore(named(address), password)).toBe(key);
    expect(() => decryptKeystore(named('00'.repeat(20)), password)).toThrow(
      'the key does not match the address in the keystore',
    );
  });

  test('whose outer names are written in capitals is read too', () => {
    const { crypto, version } = JSON.parse(sealKeystore(key, password));
    expect(decryptKeystore(JSON.stringify({ Crypto: crypto, Version: version }), password)).toBe(key);
  });

  test('gives nothing for another password, and says nothing of either', () => {
    const open = () => decryptKeystore(sealKeystore(key, password), 'another');
    expect(open).toThrow(RangeError);
    expect(open).not.toThrow(/another|testpassword/);
  });

  test.each([
    ['text that is no JSON', 'key', 'not a keystore: the file is not JSON'],
    ['another version', JSON.stringify({ ...withScrypt, version: 1 }), 'version: '],
    ['no object', 'null', 'not a version 3 keystore'],
    [
      'another cipher',
      JSON.stringify({ ...withScrypt, crypto: { ...withScrypt.crypto, cipher: 'aes-128-cbc' } }),
      'crypto.cipher: ',
    ],
    [
      'what scrypt does not take',
      JSON.stringify({
        ...withScrypt,
        crypto: { ...withScrypt.crypto, kdfparams: { ...withScrypt.crypto.kdfparams, n: 2 ** 18, r: 1 } },
      }),
      'invalid scrypt parameters',
    ],
    [
      'more memory than a process has',
      JSON.stringify({
        ...withScrypt,
        crypto: {
          ...withScrypt.crypto,
          kdfparams: { ...withScrypt.crypto.kdfparams, n: 2 ** 20, r: 64 },
        },
      }),
      'need too much memory',
    ],
  ])('is not: %s', (_, text, message) => {
    expect(() => decryptKeystore(text, password)).toThrow(message);
  });
});
