export const testEncryptionKey = Buffer.alloc(32, 0x11);
