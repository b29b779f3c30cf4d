/** The headers of responses, as components of the document. A response that refers to one always has it. */
export const headerComponents = {
  'X-Request-Id': header({
    description: 'Identifies the request in the logs of the service. A valid id sent by the caller is kept.',
    example: 'req_0123456789abcdef0123456789abcdef',
  }),
  'RateLimit-Policy': header({
    description: 'The rate limit: `q` requests are refilled every `w` seconds.',
    example: '"read";q=100;w=2',
  }),
  RateLimit: header({
    description: '`r` requests remain. The limit is fully refilled in `t` seconds.',
    example: '"read";r=97;t=1',
  }),
  'Retry-After': header({ description: 'Seconds to wait before the next request.', example: '1' }),
  'WWW-Authenticate': header({ description: 'How to authenticate.', example: 'Bearer realm="agreements"' }),
  'Idempotency-Replayed': header({
    description: 'Present if this response repeats that of an earlier request with the same key.',
    example: 'true',
  }),
  ETag: header({
    description: 'Identifies this representation of the content. Send it in `If-None-Match`.',
    example: 'W/"2jmj7l5rSw0yVb"',
  }),
  Vary: header({ description: 'The request headers that select the representation.', example: 'Accept' }),
  'Cache-Control': header({ description: 'Who may cache the response.', example: 'private, no-cache' }),
};
type HeaderName = keyof typeof headerComponents;

function header({ description, example }: { description: string; example: string }) {
  return { description, required: true, schema: { type: 'string' as const }, example };
}

/** Headers that a response always has. */
export function always(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that a response may lack. */
export function optional(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { ...headerComponents[name], required: false }]));
}

export const commonHeaders = always('X-Request-Id');
export const limitHeaders = always('RateLimit-Policy', 'RateLimit');
