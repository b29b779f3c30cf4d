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

/**
 * Every limit that an operator can set, with the specification's default; sizes in bytes, times by the unit
 * in the name.
 */
export const limitShape = z
  .object({
    MAX_BODY_BYTES: count(1_048_576),
    MAX_BODY_VALUES: count(40_000),
    MAX_AGREEMENT_BYTES: count(524_288),
    MAX_AGREEMENT_NESTING: count(64),
    MAX_AGREEMENT_ITEMS: count(256),
    MAX_VARIABLES: count(512),
    MAX_INPUT_FIELDS: count(128),
    MAX_AGREEMENT_FIELDS: count(1_024),
    MAX_ACTIONS: count(64),
    MAX_NAME_BYTES: count(256),
    MAX_PATTERNS: count(128),
    MAX_PARTIES: count(256),
    MAX_RULES: count(100),
    MAX_NOTIFICATIONS: count(250),
    MAX_VALUE_BYTES: count(65_536),
    MAX_VALUES_BYTES: count(262_144),
    DEPLOY_WAIT_MS: count(60_000),
    SIGNING_WAIT_MS: count(15_000),
    INPUT_WAIT_MS: count(0),
    RPC_TIMEOUT_MS: count(10_000),
    CONSISTENCY_WAIT_MS: count(10_000),
    MAX_PERMIT_LIFETIME_SECONDS: count(86_400),
    SESSION_IDLE_SECONDS: count(43_200),
    SESSIONS_MAX: count(1_000),
    SIGNING_LINKS_MAX: count(100),
    EVENT_STREAMS_MAX: count(1_024),
    EVIDENCE_WAIT_MS: count(20_000),
    EVIDENCE_INPUTS_MAX: count(50_000),
    EVIDENCE_BYTES_PER_SECOND: count(16 * 1024 * 1024),
    TRUSTED_PROXIES: z
      .string()
      .regex(/^\d$/, 'expected the number of proxies in front of the service, 0 to 9')
      .transform(Number)
      .default(0),
    RATE_LIMIT_READS: rate.default(50),
    RATE_LIMIT_READ_BURST: rate.optional(),
    RATE_LIMIT_WRITES: rate.default(10),
    RATE_LIMIT_WRITE_BURST: rate.optional(),
  })
  .transform((env) => ({
    bodyBytes: env.MAX_BODY_BYTES,
    /** Objects, lists, texts, numbers and so on, anywhere in the body. */
    bodyValues: env.MAX_BODY_VALUES,
    agreementBytes: env.MAX_AGREEMENT_BYTES,
    agreementNesting: env.MAX_AGREEMENT_NESTING,
    agreementItems: env.MAX_AGREEMENT_ITEMS,
    agreementVariables: env.MAX_VARIABLES,
    inputFields: env.MAX_INPUT_FIELDS,
    agreementFields: env.MAX_AGREEMENT_FIELDS,
    agreementActions: env.MAX_ACTIONS,
    agreementPatterns: env.MAX_PATTERNS,
    nameBytes: env.MAX_NAME_BYTES,
    /** Participants of one agreement, and observers of one agreement. */
    parties: env.MAX_PARTIES,
    /** For the rules of one agreement. */
    rules: { rules: env.MAX_RULES, notifications: env.MAX_NOTIFICATIONS },
    valueBytes: env.MAX_VALUE_BYTES,
    allValuesBytes: env.MAX_VALUES_BYTES,
    deployWaitMs: env.DEPLOY_WAIT_MS,
    signingWaitMs: env.SIGNING_WAIT_MS,
    /** How long a submitted input is awaited until it is mined. */
    inputWaitMs: env.INPUT_WAIT_MS,
    rpcTimeoutMs: env.RPC_TIMEOUT_MS,
    consistencyWaitMs: env.CONSISTENCY_WAIT_MS,
    /**
     * How far ahead a permit's deadline may lie: a permit that cannot be sent blocks its signer's nonce that
     * long.
     */
    permitLifetimeSeconds: env.MAX_PERMIT_LIFETIME_SECONDS,
    /** Idle time after which a browser's session ends. */
    sessionIdleSeconds: env.SESSION_IDLE_SECONDS,
    /** Active sessions of one principal, and as many unused links that open one. */
    sessions: env.SESSIONS_MAX,
    /** Active links to one agreement. */
    signingLinks: env.SIGNING_LINKS_MAX,
    /** Listeners of one principal at one API. */
    eventStreams: env.EVENT_STREAMS_MAX,
    /** How long a request for evidence waits for its blocks to be proved. */
    evidenceWaitMs: env.EVIDENCE_WAIT_MS,
    /** Inputs of an agreement that has evidence: a whole history is held in memory. */
    evidenceInputs: env.EVIDENCE_INPUTS_MAX,
    /** How much of proofs and payloads one API reads for all evidence. */
    evidenceBytesPerSecond: env.EVIDENCE_BYTES_PER_SECOND,
    /** Number of proxies in front that add their caller to X-Forwarded-For. */
    trustedProxies: env.TRUSTED_PROXIES,
    ...readRates(env),
  }));

export type Limits = z.output<typeof limitShape>;

type RatesEnv = {
  readonly [name in 'RATE_LIMIT_READS' | 'RATE_LIMIT_WRITES']: number;
} & { readonly [name in 'RATE_LIMIT_READ_BURST' | 'RATE_LIMIT_WRITE_BURST']?: number | undefined };

/** One guest leaves as much to a principal's other guests as it can take itself. */
const guestShare = 2;

function readRates(env: RatesEnv) {
  const read = {
    perSecond: env.RATE_LIMIT_READS,
    burst: env.RATE_LIMIT_READ_BURST ?? 2 * env.RATE_LIMIT_READS,
  };
  const write = {
    perSecond: env.RATE_LIMIT_WRITES,
    burst: env.RATE_LIMIT_WRITE_BURST ?? 2 * env.RATE_LIMIT_WRITES,
  };
  const multiply = ({ perSecond, burst }: typeof read) => ({
    perSecond: guestShare * perSecond,
    burst: guestShare * burst,
  });
  return {
    /** Per principal, and per guest, over all API processes. */
    rates: { read, write },
    /** Of all guests of one principal together. */
    guestRates: { read: multiply(read), write: multiply(write) },
  };
}
