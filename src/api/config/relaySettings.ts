import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

const whole = (initial: string) =>
  z
    .string()
    .regex(/^\d{1,30}$/, 'expected a whole number')
    .default(initial)
    .transform(BigInt);

const shape = z
  .object({
    RELAYER_MAX_FEE_GWEI: whole('300'),
    RELAYER_MAX_IN_FLIGHT: whole('64')
      .transform(Number)
      .refine((count) => count > 0, 'expected 1 or more'),
    RELAYER_MIN_BALANCE_WEI: whole('1000000000000000'),
    RELAYER_RESEND_AFTER_SECONDS: whole('5').transform(Number),
    RELAYER_REPLACE_AFTER_SECONDS: whole('30').transform(Number),
  })
  .transform((env) => ({
    /** What a unit of gas may cost at most, in wei; at this the same bytes are sent again. */
    maxFeePerGas: env.RELAYER_MAX_FEE_GWEI * 1_000_000_000n,
    /** How many transactions of one wallet may wait to be mined. */
    maxInFlight: env.RELAYER_MAX_IN_FLIGHT,
    /** A wallet with less than this rests. */
    minBalance: env.RELAYER_MIN_BALANCE_WEI,
    resendAfterSeconds: env.RELAYER_RESEND_AFTER_SECONDS,
    replaceAfterSeconds: env.RELAYER_REPLACE_AFTER_SECONDS,
  }));

export type RelaySettings = z.output<typeof shape>;

/**
 * How the worker sends, from the environment.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readRelaySettings(env: NodeJS.ProcessEnv): RelaySettings {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = shape.safeParse(set);
  if (result.success) return result.data;
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
  );
}
