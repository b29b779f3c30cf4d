import type { Issue } from '../../protocol/errors.ts';
import type { Services } from '../../records/agreements/services.ts';
import { checkNotificationTemplate } from '../../records/rules/checkNotificationTemplate.ts';

/** The warnings about the rules of an accepted deployment; none without rules. */
export function listTemplateWarnings(
  { agreement, notificationTemplate }: { agreement: unknown; notificationTemplate?: unknown },
  { isMailConfigured, limits }: Pick<Services, 'isMailConfigured' | 'limits'>,
): readonly Issue[] {
  if (notificationTemplate === undefined) return [];
  return checkNotificationTemplate(notificationTemplate, {
    agreement,
    isMailConfigured,
    limits: limits.rules,
  }).warnings;
}
