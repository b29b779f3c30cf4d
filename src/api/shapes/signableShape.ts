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
    types: z.record(z.string(), z.array(typeMember)).openapi({ description: 'Includes `EIP712Domain`.' }),
    primaryType: z.enum(['PermitAgreementWithActions', 'PermitInput']),
    message: z.record(z.string(), z.string()).openapi({ description: 'Integers are decimal text.' }),
    digest: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .openapi({ description: 'The EIP-712 digest that is signed.' }),
    deadline: z.int().openapi({ description: 'Unix seconds. Send it with the signature.' }),
    nonce: decimal.openapi({
      description: 'The nonce that is signed: the current nonce of the signer in the contract.',
    }),
    verdict: z.object({ ok: z.boolean(), reason: z.enum(reasons).optional(), message: z.string() }).openapi({
      description:
        'Whether the permit would be accepted now, and if not, why. Based on the latest block, simulated as a call from the signer.',
    }),
  })
  .openapi('SignableTypedData', {
    description:
      'Typed data to pass to `eth_signTypedData_v4` unchanged: `domain`, `types`, `primaryType` and `message`.',
  });

export const signableInputShape = signableShape
  .extend({
    nonce: decimal.openapi({
      description:
        'The nonce that is signed: the next nonce of the signer in the agreement, after your pending permits. With `pending=false`, the next nonce on chain.',
    }),
    minedNonce: decimal.openapi({ description: 'The next nonce of the signer on chain.' }),
  })
  .openapi('SignableInput');

export const signableDeploymentShape = signableShape
  .extend({ docUri: z.string(), documentId: z.string() })
  .openapi('SignableDeployment');
