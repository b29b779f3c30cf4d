import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readEncryptionKeys } from '../../../src/platform/config/encryptionKeys.ts';
import { createCipher } from '../../../src/platform/encryption/cipher.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];
const context = 'row 1';

describe('an encrypted text', () => {
  test.each([[''], ['secret'], ['ü€😀'], ['x'.repeat(1_000_000)]])('comes back as it was', (text) => {
    const cipher = createCipher([older]);
    expect(cipher.decrypt(cipher.encrypt(text, context), context)).toBe(text);
  });

  test('is another one each time', () => {
    const cipher = createCipher([older]);
    expect(cipher.encrypt('same', context)).not.toEqual(cipher.encrypt('same', context));
  });

  test('opens in no other context', () => {
    const cipher = createCipher([older]);
    const bytes = cipher.encrypt('secret', context);
    expect(() => cipher.decrypt(bytes, 'row 2')).toThrow();
  });

  test('does not open once a single bit of it is another', () => {
    const cipher = createCipher([older]);
    const bytes = cipher.encrypt('secret', context);
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => cipher.decrypt(changed, context)).toThrow();
    }
  });

  test('does not open where a part of it is missing', () => {
    const cipher = createCipher([older]);
    const bytes = cipher.encrypt('secret', context);
    for (let length = 0; length < bytes.length; length++)
      expect(() => cipher.decrypt(bytes.subarray(0, length), context)).toThrow();
  });

  test('still opens when a new key has taken over, as long as the old one is named', () => {
    const bytes = createCipher([older]).encrypt('secret', context);
    expect(createCipher([newer, older]).decrypt(bytes, context)).toBe('secret');
    expect(() => createCipher([newer]).decrypt(bytes, context)).toThrow('key that is not in ENCRYPTION_KEY');
  });

  test('opens in both directions between a process that knows the new key and one before and after it', () => {
    const [before, between, after] = [[older], [older, newer], [newer, older]] as const;
    for (const [writer, reader] of [
      [before, between],
      [between, before],
      [between, after],
      [after, between],
    ] as const) {
      const bytes = createCipher(writer).encrypt('secret', context);
      expect(createCipher(reader).decrypt(bytes, context)).toBe('secret');
    }
  });
});

describe('ENCRYPTION_KEY', () => {
  test('holds one key or more, the first of which encrypts', () => {
    const keys = readEncryptionKeys({
      ENCRYPTION_KEY: ` ${newer.toString('hex')} , ${older.toString('hex').toUpperCase()},`,
    });
    expect(keys).toEqual([newer, older]);
  });

  test.each([[undefined], ['']])('may be left out: %j', (text) => {
    expect(readEncryptionKeys({ ENCRYPTION_KEY: text })).toBeUndefined();
  });

  test.each([['secret'], ['ab'.repeat(31)], [`${'ab'.repeat(32)},short`], [`0x${'ab'.repeat(32)}`]])(
    'is refused, and not told, where it is none: %s',
    (text) => {
      const read = () => readEncryptionKeys({ ENCRYPTION_KEY: text });
      expect(read).toThrow('ENCRYPTION_KEY: expected 64 hex digits');
      expect(read).not.toThrow(text);
    },
  );

  test.each([[','], [' '], [' , ']])('is refused where it is set and holds no key: %j', (text) => {
    const read = () => readEncryptionKeys({ ENCRYPTION_KEY: text });
    expect(read).toThrow('ENCRYPTION_KEY: expected 64 hex digits');
  });
});
