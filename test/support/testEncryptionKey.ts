/** The encryption key for the secrets of test subscriptions. */
export const testEncryptionKey = Buffer.alloc(32, 0x11);
