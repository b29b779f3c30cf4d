import { RefusedError } from '../../platform/errors/serviceError.ts';
import { checkTarget } from './checkTarget.ts';
import type { TargetRules } from './targetRules.ts';

/**
 * What is wrong with the form of an address that deliveries are to be sent to, in words; undefined where nothing is. Whether the
 * target may be reached at all is another question.
 */
export function findUrlFault(text: string): string | undefined {
  // The parser of URLs would quietly drop blanks and further slashes, and turn backslashes around.
  if (!/^https?:\/\/(?!\/)[^\s\\]+$/i.test(text) || !URL.canParse(text))
    return 'must be a URL that starts with http:// or https://';
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'must not hold credentials';
  return undefined;
}

/**
 * Looks up whether deliveries may be sent to an address.
 *
 * @throws RefusedError `webhook_target_not_allowed` where they may not.
 */
export async function requireTarget(url: string, rules: TargetRules): Promise<void> {
  const message = await checkTarget(url, rules);
  if (message === undefined) return;
  const issues = [{ path: 'url', message }];
  throw new RefusedError('webhook_target_not_allowed', 'Webhooks cannot be sent to this URL.', {
    field: 'url',
    issues,
  });
}
