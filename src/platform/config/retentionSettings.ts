import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

export type RetentionSettings = {
  /** Age after which events, deliveries, attempts and mails are removed; null to keep them. */
  readonly keptDays: number | null;
};

const shape = z.object({
  RETENTION_DAYS: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a whole number')
    .transform(Number)
    .default(90),
});

/** @throws ConfigurationError naming what is wrong. */
export function readRetentionSettings(env: NodeJS.ProcessEnv): RetentionSettings {
  const result = shape.safeParse({ RETENTION_DAYS: env.RETENTION_DAYS || undefined });
  if (result.success) return { keptDays: result.data.RETENTION_DAYS || null };
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
  );
}
