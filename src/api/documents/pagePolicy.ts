import { createHash } from 'node:crypto';
import { pageStyle } from './pageStyle.ts';

const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const contentRules = [`default-src 'none'`, `style-src 'sha256-${styleHash}'`, `base-uri 'none'`];
contentRules.push(`form-action 'none'`);

/** The policy in the page itself, so that a saved copy, which has no headers, follows it too. */
export const ownPolicy = contentRules.join('; ');

/**
 * The headers of a page: it runs nothing, loads nothing, cannot be framed, shares no origin with the service,
 * and sends no referrer.
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    ...contentRules,
    `frame-ancestors 'none'`,
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'cross-origin-resource-policy': 'same-origin',
} as const;
