import { recoverAddress } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openKmsSigner } from '../../../src/platform/signers/kmsSigner.ts';
import { SigningError } from '../../../src/platform/signers/signer.ts';
import {
  createKmsServer,
  type KmsServer,
  type KmsTreatment,
  kmsCredentials,
  kmsRegion,
} from '../../support/kmsServer.ts';

const hash = `0x${'5a'.repeat(32)}` as const;
const times = { requestMs: 10_000, attempts: 3, signMs: 60_000 };
/** For requests without an answer. */
const quickTimes = { ...times, requestMs: 1_000 };
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const never = new Promise<void>(() => {});

const servers: KmsServer[] = [];
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', kmsCredentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', kmsCredentials.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  ...args: Parameters<typeof createKmsServer> extends [unknown, ...infer Rest] ? Rest : never
) {
  const server = await createKmsServer(generatePrivateKey(), ...args);
  servers.push(server);
  return server;
}
const open = ({ keyId, endpoint }: KmsServer, treatment?: KmsTreatment) =>
  openKmsSigner({ keyId, region: kmsRegion, endpoint }, treatment === never ? quickTimes : times);

describe('a signer of AWS KMS', () => {
  test('gives signatures in the lower half that recover to its wallet, and asks once for the public key', async () => {
    const server = await serve();
    const signer = await open(server);
    expect(signer.address).toBe(server.address);
    for (let at = 0; at < 8; at++) {
      const signature = await signer.sign(hash);
      expect(await recoverAddress({ hash, signature })).toBe(server.address);
      expect(BigInt(signature.s) <= halfOrder).toBe(true);
    }
    expect([server.count('GetPublicKey'), server.count('Sign'), server.countForged()]).toEqual([1, 8, 0]);
  });

  test.each<[string, KmsTreatment]>([
    ['is throttled', 'throttle'],
    ['meets an error of the service', 'fail'],
    ['loses its connection', 'cut'],
    ['gets no answer in time', never],
  ])('that %s asks again', async (_, treatment) => {
    const server = await serve((operation, at) => (operation === 'Sign' && at < 1 ? treatment : 'answer'));
    const signer = await open(server, treatment);
    const signature = await signer.sign(hash);
    expect(await recoverAddress({ hash, signature })).toBe(server.address);
    expect(server.count('Sign')).toBe(2);
  });

  test.each<[string, KmsTreatment, number]>([
    ['is throttled for good', 'throttle', times.attempts],
    ['gets no answers', never, times.attempts],
    ['is not allowed to sign', 'deny', 1],
    ['gets a signature of something else', 'otherDigest', 1],
  ])('that %s says so', async (_, treatment, requests) => {
    const server = await serve((operation) => (operation === 'Sign' ? treatment : 'answer'));
    const signer = await open(server, treatment);
    const failure = await signer.sign(hash).catch((error) => error);
    expect(failure).toBeInstanceOf(SigningError);
    expect(failure.message).toContain(server.keyId);
    expect(failure.message).not.toContain(kmsCredentials.secretAccessKey);
    expect(server.count('Sign')).toBe(requests);
  });

  test('with other credentials than the account has is refused', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    const server = await serve();
    await expect(open(server)).rejects.toThrow(SigningError);
    expect(server.countForged()).toBe(1);
  });

  test('whose key is of another curve is refused', async () => {
    const server = await serve(undefined, { curve: 'P-256' });
    await expect(open(server)).rejects.toThrow('an ECC_SECG_P256K1 key pair is required');
  });
});
