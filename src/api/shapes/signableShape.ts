import { z } from '@hono/zod-openapi';
import { reasons } from '../../platform/errors/serviceError.ts';

const typeMember = z.object({ name: z.string(), type: z.string() });
const decimal = z.string().regex(/^\d+$/);

/** The answer of the typed-data routes: the wallet's data, and the caller's additional data. */
export const signableShape = z
  .object({
    domain: z.object({
      name: z.enum(['AgreementFactory', 'AgreementEngine']),
      version: z.literal('1'),
      chainId: z.int(),
      verifyingContract: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    }),
    types: z.record(z.string(), z.array(typeMember)).openapi({ description: 'EIP712Domain among them.' }),
    primaryType: z.enum(['PermitAgreementWithActions', 'PermitInput']),
    message: z.record(z.string(), z.string()).openapi({ description: 'Integers as decimal text.' }),
    digest: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .openapi({ description: 'What the signature is made over.' }),
    deadline: z.int().openapi({ description: 'Unix seconds; goes with the signature into the request.' }),
    nonce: decimal.openapi({ description: "The signer's nonce in the contract, which is signed." }),
    verdict: z.object({ ok: z.boolean(), reason: z.enum(reasons).optional(), message: z.string() }).openapi({
      description:
        'What would become of the permit now: whether it would be sent, and otherwise why not. By the latest block, and called by the signer itself, as nobody else can sign for it.',
    }),
  })
  .openapi('SignableTypedData', {
    description: 'Typed data that eth_signTypedData_v4 takes as it is: domain, types, primaryType, message.',
  });

export const signableInputShape = signableShape
  .extend({
    nonce: decimal.openapi({
      description:
        "What is signed: the signer's next nonce in the agreement, after those of its permits that you have on their way here; with pending=false the mined one.",
    }),
    minedNonce: decimal.openapi({ description: "The signer's next nonce as the chain has it." }),
  })
  .openapi('SignableInput');

export const signableDeploymentShape = signableShape
  .extend({ docUri: z.string(), documentId: z.string() })
  .openapi('SignableDeployment');
