import type { Issue } from '../../protocol/errors.ts';
import { warnOfUnsignedValues } from '../../protocol/index.ts';
import type { Services } from '../../records/agreements/services.ts';
import { checkNotificationTemplate } from '../../records/rules/checkNotificationTemplate.ts';
import type { DeploymentRequest } from './checkDeployment.ts';

/** The warnings about an accepted deployment: values that its signature does not cover, and its rules. */
export function listDeploymentWarnings(
  request: Pick<DeploymentRequest, 'agreement' | 'initValues' | 'participants' | 'notificationTemplate'>,
  { isMailConfigured, limits }: Pick<Services, 'isMailConfigured' | 'limits'>,
): readonly Issue[] {
  const { agreement, notificationTemplate } = request;
  const ofValues = warnOfUnsignedValues(request);
  if (notificationTemplate === undefined) return ofValues;
  const facts = { agreement, isMailConfigured, limits: limits.rules };
  return [...ofValues, ...checkNotificationTemplate(notificationTemplate, facts).warnings];
}
