import { z } from 'zod';

const count = (initial: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'expected a whole number')
    .transform(Number)
    .default(initial);

const rate = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'expected a whole number from 1')
  .transform(Number);

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
    CONSISTENCY_WAIT_MS: count(10_000),
    TRUSTED_PROXIES: z
      .string()
      .regex(/^\d$/, 'expected how many proxies stand in front, 0 to 9')
      .transform(Number)
      .default(0),
    RATE_LIMIT_READS: rate.default(50),
    RATE_LIMIT_READ_BURST: rate.optional(),
    RATE_LIMIT_WRITES: rate.default(10),
    RATE_LIMIT_WRITE_BURST: rate.optional(),
  })
  .transform((env) => ({
    bodyBytes: env.MAX_BODY_BYTES,
    agreementBytes: env.MAX_AGREEMENT_BYTES,
    agreementNesting: env.MAX_AGREEMENT_NESTING,
    agreementItems: env.MAX_AGREEMENT_ITEMS,
    deployWaitMs: env.DEPLOY_WAIT_MS,
    signingWaitMs: env.SIGNING_WAIT_MS,
    rpcTimeoutMs: env.RPC_TIMEOUT_MS,
    consistencyWaitMs: env.CONSISTENCY_WAIT_MS,
    /** How many proxies stand in front that add to X-Forwarded-For whom they were called by. */
    trustedProxies: env.TRUSTED_PROXIES,
    /** Of one principal, over all API processes. */
    rates: {
      read: {
        perSecond: env.RATE_LIMIT_READS,
        burst: env.RATE_LIMIT_READ_BURST ?? 2 * env.RATE_LIMIT_READS,
      },
      write: {
        perSecond: env.RATE_LIMIT_WRITES,
        burst: env.RATE_LIMIT_WRITE_BURST ?? 2 * env.RATE_LIMIT_WRITES,
      },
    },
  }));

export type Limits = z.output<typeof limitShape>;
