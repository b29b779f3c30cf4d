import { z } from 'zod';
import { mostEvidenceBytes } from '../../protocol/evidence/readEvidence.ts';
import { variable } from './readSettings.ts';
import { longestTimerMs, wholeNumber } from './settingShapes.ts';

const count = (name: string, initial: number) => variable(name, wholeNumber({ digits: 12 }).default(initial));
const milliseconds = (name: string, initial: number, least = 0) =>
  variable(name, wholeNumber({ least, most: longestTimerMs, digits: 12 }).default(initial));
const rate = wholeNumber({ least: 1, digits: 7, error: 'expected a whole number from 1' });

/** One guest leaves as much to a principal's other guests as it can take itself. */
const guestShare = 2;
/**
 * Clients that cannot be told apart sign in as often as this many that can: otherwise one of them would keep all others
 * from it. Each attempt stores a row for five minutes.
 */
const strangerShare = 20;

/**
 * Every limit that an operator can set, with the specification's default; sizes in bytes, times by the unit
 * in the name.
 */
export const limitShape = z
  .object({
    bodyBytes: count('MAX_BODY_BYTES', 1_048_576),
    /** Objects, lists, texts, numbers and so on, anywhere in the body. */
    bodyValues: count('MAX_BODY_VALUES', 40_000),
    agreementBytes: count('MAX_AGREEMENT_BYTES', 524_288),
    agreementNesting: count('MAX_AGREEMENT_NESTING', 64),
    agreementItems: count('MAX_AGREEMENT_ITEMS', 256),
    agreementVariables: count('MAX_VARIABLES', 512),
    inputFields: count('MAX_INPUT_FIELDS', 128),
    agreementFields: count('MAX_AGREEMENT_FIELDS', 1_024),
    agreementActions: count('MAX_ACTIONS', 64),
    agreementPatterns: count('MAX_PATTERNS', 128),
    nameBytes: count('MAX_NAME_BYTES', 256),
    /** Participants of one agreement, and observers of one agreement. */
    parties: count('MAX_PARTIES', 256),
    rules: count('MAX_RULES', 100),
    notifications: count('MAX_NOTIFICATIONS', 250),
    valueBytes: count('MAX_VALUE_BYTES', 65_536),
    allValuesBytes: count('MAX_VALUES_BYTES', 262_144),
    deployWaitMs: milliseconds('DEPLOY_WAIT_MS', 60_000),
    signingWaitMs: milliseconds('SIGNING_WAIT_MS', 15_000),
    /** How long a submitted input is awaited until it is mined. */
    inputWaitMs: milliseconds('INPUT_WAIT_MS', 0),
    rpcTimeoutMs: milliseconds('RPC_TIMEOUT_MS', 10_000, 1),
    consistencyWaitMs: milliseconds('CONSISTENCY_WAIT_MS', 10_000),
    /**
     * How far ahead a permit's deadline may lie: a permit that cannot be sent blocks its signer's nonce that
     * long.
     */
    permitLifetimeSeconds: count('MAX_PERMIT_LIFETIME_SECONDS', 86_400),
    /** Idle time after which a browser's session ends. */
    sessionIdleSeconds: count('SESSION_IDLE_SECONDS', 43_200),
    /** Active sessions of one principal, and as many unused links that open one. */
    sessions: count('SESSIONS_MAX', 1_000),
    /** Active links to one agreement. */
    signingLinks: count('SIGNING_LINKS_MAX', 100),
    /** Listeners of one principal at one API. */
    eventStreams: count('EVENT_STREAMS_MAX', 1_024),
    /** How long a request for evidence waits for its blocks to be proved. */
    evidenceWaitMs: milliseconds('EVIDENCE_WAIT_MS', 20_000),
    /** Inputs of an agreement that has evidence. Files of as many usual ones are just within `evidenceBytes`. */
    evidenceInputs: count('EVIDENCE_INPUTS_MAX', 5_000),
    /** Size of an evidence file; verifiers read no larger ones. */
    evidenceBytes: variable(
      'EVIDENCE_BYTES_MAX',
      wholeNumber({ digits: 12, most: mostEvidenceBytes }).default(mostEvidenceBytes),
    ),
    /** How much of proofs and payloads one API reads for all evidence. */
    evidenceBytesPerSecond: count('EVIDENCE_BYTES_PER_SECOND', 16 * 1024 * 1024),
    /** Number of proxies in front that add their caller to X-Forwarded-For. */
    trustedProxies: variable(
      'TRUSTED_PROXIES',
      wholeNumber({
        digits: 1,
        error: 'expected the number of proxies in front of the service, 0 to 9',
      }).default(0),
    ),
    reads: variable('RATE_LIMIT_READS', rate.default(50)),
    readBurst: variable('RATE_LIMIT_READ_BURST', rate.optional()),
    writes: variable('RATE_LIMIT_WRITES', rate.default(10)),
    writeBurst: variable('RATE_LIMIT_WRITE_BURST', rate.optional()),
  })
  .transform(({ notifications, reads, readBurst, writes, writeBurst, ...limits }) => {
    const read = { perSecond: reads, burst: readBurst ?? 2 * reads };
    const write = { perSecond: writes, burst: writeBurst ?? 2 * writes };
    const multiply = ({ perSecond, burst }: typeof read, share: number) => ({
      perSecond: share * perSecond,
      burst: share * burst,
    });
    return {
      ...limits,
      /** For the rules of one agreement. */
      rules: { rules: limits.rules, notifications },
      /** Per principal, and per guest, over all API processes. */
      rates: { read, write },
      /** Of all guests of one principal together. */
      guestRates: { read: multiply(read, guestShare), write: multiply(write, guestShare) },
      /** Of all clients without a known address together, if they sign in with a wallet. */
      strangerRates: { read: multiply(read, strangerShare), write: multiply(write, strangerShare) },
    };
  });

export type Limits = z.output<typeof limitShape>;
