import type { Services } from '../agreements/services.ts';
import type { TargetRules } from './targetRules.ts';

/** The dependencies of the webhooks' functions, in addition to those of agreements. */
export type WebhookServices = Services & {
  readonly targetRules: TargetRules;
};
