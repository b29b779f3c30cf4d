import { RefusedError } from '../../platform/errors/serviceError.ts';
import { checkTarget } from './checkTarget.ts';
import type { TargetRules } from './targetRules.ts';

/**
 * What is wrong with the form of a receiver's URL, in words; undefined if nothing is. Does not check whether
 * the target may be reached.
 */
export function findUrlFault(text: string): string | undefined {
  // The URL parser would silently drop blanks and extra slashes, and turn backslashes into slashes.
  if (!/^https?:\/\/(?!\/)[^\s\\]+$/i.test(text) || !URL.canParse(text))
    return 'must be a URL that starts with http:// or https://';
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'must not contain credentials';
  return undefined;
}

/**
 * Checks whether deliveries may be sent to a URL.
 *
 * @throws RefusedError `webhook_target_not_allowed` if they may not.
 */
export async function requireTarget(url: string, rules: TargetRules): Promise<void> {
  const message = await checkTarget(url, rules);
  if (message === undefined) return;
  const issues = [{ path: 'url', message }];
  throw new RefusedError('webhook_target_not_allowed', 'The webhook URL is not allowed.', {
    field: 'url',
    issues,
  });
}
