import { parseEther, parseGwei } from 'viem';
import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

const count = (initial: number, least = 1) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'expected a whole number')
    .transform(Number)
    .refine((value) => value >= least, `expected ${least} or more`)
    .default(initial);

const amount = (parse: (text: string) => bigint) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'expected a decimal number')
    .transform((text) => parse(text));

const shape = z
  .object({
    RELAYER_MAX_FEE_GWEI: amount(parseGwei)
      .refine((fee) => fee > 0n, 'expected more than 0')
      .default(parseGwei('50')),
    RELAYER_MIN_BALANCE_ETH: amount(parseEther).optional(),
    RELAYER_CANCEL_BUDGET_ETH: amount(parseEther).default(parseEther('0.005')),
    RELAYER_GAS_MARGIN_PERCENT: count(25, 0),
    RELAYER_MAX_IN_FLIGHT: count(64),
    RELAYER_RESEND_SECONDS: count(12),
    RELAYER_REPLACE_SECONDS: count(36),
    RELAYER_POLL_MS: count(1_000, 10),
    RELAYER_LEASE_MS: count(10_000, 300),
  })
  .transform((env) => ({
    maxFeePerGas: env.RELAYER_MAX_FEE_GWEI,
    minBalance: env.RELAYER_MIN_BALANCE_ETH,
    cancelBudget: env.RELAYER_CANCEL_BUDGET_ETH,
    gasMarginPercent: env.RELAYER_GAS_MARGIN_PERCENT,
    maxInFlight: env.RELAYER_MAX_IN_FLIGHT,
    resendAfterMs: env.RELAYER_RESEND_SECONDS * 1_000,
    replaceAfterMs: env.RELAYER_REPLACE_SECONDS * 1_000,
    pollMs: env.RELAYER_POLL_MS,
    leaseMs: env.RELAYER_LEASE_MS,
  }));

/** How transactions are sent on one chain; amounts in wei. */
export type RelaySettings = {
  /** The most that is ever signed for a transaction that carries a permit. */
  readonly maxFeePerGas: bigint;
  /** A wallet with less rests. Default: the current cost of a few transactions. */
  readonly minBalance: bigint | undefined;
  /** The most that freeing one stuck nonce may cost in total. */
  readonly cancelBudget: bigint;
  /** Added to the gas that the simulation used. */
  readonly gasMarginPercent: number;
  /** Transactions of one wallet that are signed but not mined. */
  readonly maxInFlight: number;
  /**
   * After this long without progress the same bytes are sent again. After this long and two blocks they are
   * replaced.
   */
  readonly resendAfterMs: number;
  readonly replaceAfterMs: number;
  /** How often the chain is polled while a transaction is under way; otherwise a tenth as often. */
  readonly pollMs: number;
  /** How long a dead process keeps its lease on a wallet. */
  readonly leaseMs: number;
};

/**
 * Reads the settings of every chain: `RELAYER_…_<chainId>` for one chain, `RELAYER_…` for all others.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readRelaySettings(
  env: NodeJS.ProcessEnv,
  chains: readonly { chainId: number }[],
): ReadonlyMap<number, RelaySettings> {
  const problems = new Set<string>();
  const settings = new Map<number, RelaySettings>();
  for (const { chainId } of chains) {
    const nameOf = (name: string) => (env[`${name}_${chainId}`] ? `${name}_${chainId}` : name);
    const names = Object.keys(shape.in.shape);
    const result = shape.safeParse(
      Object.fromEntries(names.map((name) => [name, env[nameOf(name)] || undefined])),
    );
    if (result.success) settings.set(chainId, result.data);
    else
      for (const issue of result.error.issues)
        problems.add(`${nameOf(String(issue.path[0]))}: ${issue.message}`);
  }
  if (problems.size > 0) throw new ConfigurationError([...problems]);
  return settings;
}
