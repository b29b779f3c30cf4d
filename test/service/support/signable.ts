import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Answer } from './call.ts';
import { type Signature, splitSignature } from './permits.ts';

const typedDataShape = z.looseObject({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

/** Signs typed data exactly as answered, and returns the permit's part of a request. */
export async function signAnswer(
  account: PrivateKeyAccount,
  { body }: Answer,
): Promise<{ signer: string; deadline: number; signature: Signature }> {
  const { deadline } = z.looseObject({ deadline: z.int() }).parse(body.data);
  const signature = await account.signTypedData(typedDataShape.parse(body.data));
  return { signer: account.address, deadline, signature: splitSignature(signature) };
}
