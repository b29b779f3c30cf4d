import { createHash, createHmac, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { sign } from 'tiny-secp256k1';
import { type Address, bytesToHex, type Hex, hexToBytes, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { listenLocally } from './listenLocally.ts';

export const kmsCredentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'kms-test-secret' };
export const kmsRegion = 'eu-test-1';

export type KmsOperation = 'Sign' | 'GetPublicKey';
/** How the server treats a request: answer it, refuse it like KMS, delay it, cut it off, or sign wrongly. */
export type KmsTreatment =
  | 'answer'
  | 'throttle'
  | 'fail'
  | 'deny'
  | 'cut'
  | 'otherDigest'
  /** Answers once the promise resolves. */
  | Promise<void>;

export type KmsServer = {
  readonly endpoint: string;
  readonly keyId: string;
  readonly address: Address;
  /** Number of requests with a valid signature, by operation, and number of requests without one. */
  count(operation: KmsOperation): number;
  countForged(): number;
  close(): Promise<void>;
};

const digestBody = z.object({
  KeyId: z.string(),
  Message: z.base64(),
  MessageType: z.literal('DIGEST'),
  SigningAlgorithm: z.literal('ECDSA_SHA_256'),
});
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const refusals = {
  throttle: { status: 400, type: 'ThrottlingException', message: 'Rate exceeded' },
  fail: { status: 500, type: 'KMSInternalException', message: 'internal' },
  deny: { status: 400, type: 'AccessDeniedException', message: 'not authorised' },
  forged: { status: 403, type: 'InvalidSignatureException', message: 'the signature does not match' },
} as const;

/**
 * Speaks the AWS KMS protocol over HTTP for one key, and accepts only requests signed as AWS requires
 * (Signature Version 4). Like KMS, it returns every second signature with `s` in the upper half.
 */
export async function createKmsServer(
  privateKey: Hex,
  treat: (operation: KmsOperation, at: number) => KmsTreatment = () => 'answer',
  { curve = 'secp256k1' }: { curve?: 'secp256k1' | 'P-256' } = {},
): Promise<KmsServer> {
  const account = privateKeyToAccount(privateKey);
  const keyId = `alias/${account.address}`;
  const counts = new Map<string, number>();
  const publicKey = curve === 'secp256k1' ? encodeSpki(account.publicKey) : generateSpki(curve);
  let forged = 0;

  const answer = async (operation: string, body: string, treatment: KmsTreatment) => {
    if (operation === 'GetPublicKey') {
      return { KeyId: keyId, PublicKey: publicKey.toString('base64'), KeyUsage: 'SIGN_VERIFY' };
    }
    const { Message } = digestBody.parse(JSON.parse(body));
    const digest = treatment === 'otherDigest' ? Buffer.alloc(32, 7) : Buffer.from(Message, 'base64');
    // Added entropy: signing the same hash twice gives different signatures.
    const signature = bytesToHex(sign(digest, hexToBytes(privateKey), randomBytes(32)));
    const [r, s] = [BigInt(signature.slice(0, 66)), BigInt(`0x${signature.slice(66)}`)];
    const isUpper = (counts.get('Sign') ?? 0) % 2 === 0;
    const numbers = [r, isUpper ? order - s : s];
    const inner = Buffer.concat(numbers.map(encodeInteger));
    const der = Buffer.concat([Buffer.of(0x30, inner.length), inner]);
    return { KeyId: keyId, Signature: der.toString('base64'), SigningAlgorithm: 'ECDSA_SHA_256' };
  };

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    const reply = (status: number, content: object) => {
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(content));
    };
    const refuse = ({ status, type, message }: (typeof refusals)[keyof typeof refusals]) =>
      reply(status, { __type: type, message });
    if (!isAuthentic(request, body)) {
      forged++;
      return refuse(refusals.forged);
    }
    const at = counts.get(operation) ?? 0;
    counts.set(operation, at + 1);
    if (operation !== 'Sign' && operation !== 'GetPublicKey')
      return reply(400, { __type: 'UnknownOperationException' });
    const treatment = treat(operation, at);
    if (treatment === 'cut') return request.socket.destroy();
    if (treatment === 'throttle' || treatment === 'fail' || treatment === 'deny')
      return refuse(refusals[treatment]);
    if (treatment instanceof Promise) await treatment;
    reply(200, await answer(operation, body, treatment));
  });
  const { url: endpoint, close } = await listenLocally(server);
  return {
    endpoint,
    keyId,
    address: account.address,
    count: (operation) => counts.get(operation) ?? 0,
    countForged: () => forged,
    close,
  };
}

/** Recomputes Signature Version 4 from the received request. */
function isAuthentic({ method, url, headers }: IncomingMessage, body: string): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, keyId, day = '', region, names = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  if (keyId !== kmsCredentials.accessKeyId || region !== kmsRegion) return false;
  const signed = names.split(';');
  if (!['host', 'x-amz-date', 'x-amz-target'].every((name) => signed.includes(name))) return false;
  const lines = signed.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replaceAll(/ +/g, ' ')}\n`,
  );
  const canonical = [method, url, '', lines.join(''), names, sha256(body)].join('\n');
  const scope = `${day}/${region}/kms/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [day, region, 'kms', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${kmsCredentials.secretAccessKey}`,
  );
  return hmac(key, toSign).toString('hex') === signature;
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer | string, content: string): Buffer {
  return createHmac('sha256', key).update(content).digest();
}

function encodeSpki(point: Hex): Buffer {
  const [x, y] = [hexToBytes(point).subarray(1, 33), hexToBytes(point).subarray(33)];
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const jwk = { kty: 'EC', crv: 'secp256k1', x: encode(x), y: encode(y) };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}

function generateSpki(namedCurve: string): Buffer {
  return generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'der', type: 'spki' });
}

function encodeInteger(number: bigint): Buffer {
  const digits = hexToBytes(numberToHex(number));
  const bytes = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : Buffer.from(digits);
  return Buffer.concat([Buffer.of(0x02, bytes.length), bytes]);
}
