import type { Issue } from '../../protocol/errors.ts';
import type { Services } from '../../records/agreements/services.ts';
import { checkNotificationTemplate } from '../../records/rules/checkNotificationTemplate.ts';

/** What may surprise in the rules that a deployment was accepted with; none where it has no rules. */
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
