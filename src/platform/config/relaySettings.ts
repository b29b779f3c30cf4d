import { parseEther, parseGwei } from 'viem';
import { z } from 'zod';
import { ConfigurationError, collectProblems } from './configurationError.ts';
import { ofChain, readSettings, variable } from './readSettings.ts';
import { seconds, wholeNumber } from './settingShapes.ts';

const count = (initial: number, least = 1) => wholeNumber({ least }).default(initial);

const amount = (parse: (text: string) => bigint) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'expected a decimal number')
    .transform((text) => parse(text));

const shape = z.object({
  /** The most that is ever signed for a transaction that carries a permit. */
  maxFeePerGas: variable(
    'RELAYER_MAX_FEE_GWEI',
    amount(parseGwei)
      .refine((fee) => fee > 0n, 'expected more than 0')
      .default(parseGwei('50')),
  ),
  /** A wallet with less rests. Default: the current cost of a few transactions. */
  minBalance: variable('RELAYER_MIN_BALANCE_ETH', amount(parseEther).optional()),
  /** The most that freeing one stuck nonce may cost in total. */
  cancelBudget: variable('RELAYER_CANCEL_BUDGET_ETH', amount(parseEther).default(parseEther('0.005'))),
  /** Added to the gas that the simulation used. */
  gasMarginPercent: variable('RELAYER_GAS_MARGIN_PERCENT', count(25, 0)),
  /** Transactions of one wallet that are signed but not mined. */
  maxInFlight: variable('RELAYER_MAX_IN_FLIGHT', count(64)),
  /**
   * After this long without progress the same bytes are sent again. After this long and two blocks they are
   * replaced.
   */
  resendAfterMs: variable('RELAYER_RESEND_SECONDS', seconds(12, { least: 1 })),
  replaceAfterMs: variable('RELAYER_REPLACE_SECONDS', seconds(36, { least: 1 })),
  /** How often the chain is polled while a transaction is under way; otherwise a tenth as often. */
  pollMs: variable('RELAYER_POLL_MS', count(1_000, 10)),
  /** How long a dead process keeps its lease on a wallet. */
  leaseMs: variable('RELAYER_LEASE_MS', count(10_000, 300)),
});

/** How transactions are sent on one chain; amounts in wei. */
export type RelaySettings = Readonly<z.output<typeof shape>>;

/**
 * Reads the settings of every chain: `RELAYER_…_<chainId>` for one chain, `RELAYER_…` for all others.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readRelaySettings(
  env: NodeJS.ProcessEnv,
  chains: readonly { chainId: number }[],
): ReadonlyMap<number, RelaySettings> {
  const problems: string[] = [];
  const settings = new Map<number, RelaySettings>();
  for (const { chainId } of chains) {
    const read = collectProblems(problems, () => readSettings(shape, env, ofChain(env, chainId)));
    if (read) settings.set(chainId, read);
  }
  if (problems.length > 0) throw new ConfigurationError([...new Set(problems)]);
  return settings;
}
