import { z } from '@hono/zod-openapi';
import type { WalletSession } from '../../records/sessions/walletSessions.ts';
import { stateShape, summaryShape } from './resources.ts';

const instant = z.iso.datetime({ precision: 3 });

export const walletChallengeShape = z
  .object({
    id: z.string().openapi({ example: 'wch_0123456789abcdef0123456789abcdef' }),
    message: z.string(),
    expiresAt: instant,
  })
  .openapi('WalletChallenge');

export const walletSessionShape = z
  .object({
    id: z.string().openapi({ example: 'wse_0123456789abcdef0123456789abcdef' }),
    wallet: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    expiresAt: instant,
  })
  .openapi('WalletSession');

export function toWalletSession({ id, wallet, expiresAt }: WalletSession) {
  return { id, wallet, expiresAt: expiresAt.toISOString() };
}

export const walletAgreementShape = summaryShape
  .pick({
    id: true,
    address: true,
    chainId: true,
    displayName: true,
    status: true,
    state: true,
    createdAt: true,
    updatedAt: true,
  })
  .extend({
    may: z
      .enum(['read', 'sign'])
      .openapi({ description: 'What the agreement allows its participants to do.' }),
    awaitsSignature: z
      .boolean()
      .openapi({ description: 'Whether the agreement waits for this wallet to sign its deployment.' }),
    inputs: stateShape.shape.acceptedInputs.element
      .pick({ inputId: true, displayName: true })
      .array()
      .openapi({ description: 'The inputs that this wallet can submit now.' }),
  })
  .openapi('WalletAgreement');
