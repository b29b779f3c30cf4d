import { hashTypedData } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';

const hex = z.templateLiteral(['0x', z.string()]);
const preparedShape = z.object({
  typedData: z.object({
    domain: z.object({
      name: z.string(),
      version: z.string(),
      chainId: z.number(),
      verifyingContract: hex,
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  }),
  deadline: z.number(),
  docUri: z.string().optional(),
  documentId: z.string().optional(),
});

/** Signs the answer of prepare_signature; returns the additional arguments of submit_signed. */
export async function signTypedData(account: PrivateKeyAccount, prepared: Record<string, unknown>) {
  const { typedData, deadline, docUri, documentId } = preparedShape.parse(prepared);
  const { EIP712Domain: _domain, ...types } = typedData.types;
  const signature = await account.sign({ hash: hashTypedData({ ...typedData, types }) });
  return { signature, deadline, ...(docUri !== undefined && { docUri, documentId }) };
}
