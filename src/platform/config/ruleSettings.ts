import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

export type RuleSettings = {
  /**
   * How long ago a moment must be before a chain without a newer block counts as idle. Blocks are often dated
   * some seconds before they are seen.
   */
  readonly idleMs: number;
};

const shape = z.object({
  RULES_IDLE_SECONDS: z
    .string()
    .regex(/^\d{1,4}$/, 'expected a whole number')
    .transform(Number)
    .default(15),
});

/** @throws ConfigurationError naming what is wrong. */
export function readRuleSettings(env: NodeJS.ProcessEnv): RuleSettings {
  const result = shape.safeParse({ RULES_IDLE_SECONDS: env.RULES_IDLE_SECONDS || undefined });
  if (result.success) return { idleMs: result.data.RULES_IDLE_SECONDS * 1_000 };
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
  );
}
