import type { Services } from '../agreements/services.ts';
import type { TargetRules } from './targetRules.ts';

/** What the functions of webhooks work with, beside what those of agreements do. */
export type WebhookServices = Services & {
  /** Where webhooks may be sent. */
  readonly targetRules: TargetRules;
};
