import { createHash } from 'node:crypto';
import { pageStyle } from './pageStyle.ts';

const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const contentRules = [`default-src 'none'`, `style-src 'sha256-${styleHash}'`, `base-uri 'none'`];
contentRules.push(`form-action 'none'`);

/** What the page says of itself, so that a copy of it, which has no headers, is held to the same. */
export const ownPolicy = contentRules.join('; ');

/**
 * The headers of a page: it runs nothing, loads nothing, stands in no frame, has no origin that it shares with the service,
 * and tells nobody where a reader came from.
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
