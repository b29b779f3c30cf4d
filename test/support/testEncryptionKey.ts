/** Under which the secrets of test subscriptions are stored. */
export const testEncryptionKey = Buffer.alloc(32, 0x11);
