import { type Hex, hashTypedData } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Agent, Answer } from './connectAgent.ts';

const preparedShape = z.object({
  typedData: z.object({
    domain: z.object({
      name: z.string(),
      version: z.string(),
      chainId: z.number(),
      verifyingContract: z.templateLiteral(['0x', z.string()]),
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  }),
  digest: z.string(),
  deadline: z.number(),
  docUri: z.string().optional(),
  documentId: z.string().optional(),
});

/** A wallet's part after prepare_signature: it computes the digest itself, and signs. */
export async function signPrepared({ data }: Answer, account: PrivateKeyAccount) {
  const { typedData, digest, deadline, docUri, documentId } = preparedShape.parse(data);
  const { EIP712Domain: _domain, ...types } = typedData.types;
  const computed = hashTypedData({ ...typedData, types });
  if (computed !== digest) throw new Error('the digest is not the one of the typed data');
  const signature: Hex = await account.sign({ hash: computed });
  return { signature, deadline, ...(docUri !== undefined && { docUri, documentId }) };
}

/** Prepares, signs and submits for an account, with the tools alone. */
export async function act(
  agent: Agent,
  account: PrivateKeyAccount,
  subject: Record<string, unknown> & { purpose: 'deploy' | 'input' },
  submitOnly: Record<string, unknown> = {},
): Promise<Answer> {
  const asked = { ...subject, signer: account.address };
  const prepared = await agent.call('prepare_signature', asked);
  if (prepared.isError) return prepared;
  const signed = await signPrepared(prepared, account);
  return agent.call('submit_signed', { ...asked, ...signed, ...submitOnly });
}
