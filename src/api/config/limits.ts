import { z } from 'zod';

const count = (initial: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'expected a whole number')
    .transform(Number)
    .default(initial);

/** Every limit that an operator can set, with the default of the specification; sizes in bytes, times by unit in the name. */
export const limitShape = z
  .object({
    MAX_BODY_BYTES: count(1_048_576),
    MAX_AGREEMENT_BYTES: count(524_288),
    MAX_AGREEMENT_NESTING: count(64),
    MAX_AGREEMENT_ITEMS: count(256),
    DEPLOY_WAIT_MS: count(60_000),
    SIGNING_WAIT_MS: count(15_000),
    RPC_TIMEOUT_MS: count(10_000),
  })
  .transform((env) => ({
    bodyBytes: env.MAX_BODY_BYTES,
    agreementBytes: env.MAX_AGREEMENT_BYTES,
    agreementNesting: env.MAX_AGREEMENT_NESTING,
    agreementItems: env.MAX_AGREEMENT_ITEMS,
    deployWaitMs: env.DEPLOY_WAIT_MS,
    signingWaitMs: env.SIGNING_WAIT_MS,
    rpcTimeoutMs: env.RPC_TIMEOUT_MS,
  }));

export type Limits = z.output<typeof limitShape>;
