import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { seconds, wholeNumber } from './settingShapes.ts';

const retentionShape = z.object({ days: variable('RETENTION_DAYS', wholeNumber({ digits: 5 }).default(90)) });

/**
 * The age after which events, deliveries, attempts and mails are removed; null to keep them.
 *
 * @throws ConfigurationError naming what is wrong.
 */
export function readRetentionSettings(env: NodeJS.ProcessEnv): { keptDays: number | null } {
  return { keptDays: readSettings(retentionShape, env).days || null };
}

const ruleShape = z.object({ idleMs: variable('RULES_IDLE_SECONDS', seconds(15, { digits: 4 })) });

/**
 * How long ago a moment must be before a chain without a newer block counts as idle. Blocks are often dated
 * some seconds before they are seen. A chain whose blocks usually come faster never counts as idle.
 *
 * @throws ConfigurationError naming what is wrong.
 */
export function readRuleSettings(env: NodeJS.ProcessEnv): { idleMs: number } {
  return readSettings(ruleShape, env);
}
