import type { WorstRequest } from '../support/worstRequests.ts';
import { type Attack, long, post, times, withRequests } from './attack.ts';
import { buildDocument, named } from './document.ts';

const postText = (path: string, text: string): WorstRequest => ({ ...post(path, undefined), text });

/** Times that few parsers expect. */
export const extremes = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:00Z',
  '-1',
  '1e99',
];

export const values: readonly Attack[] = [
  withRequests('numbers of sixty thousand digits', ({ chainId }) => {
    const agreement = buildDocument({
      variables: Object.fromEntries(times(4, (at) => [`v${at}`, { type: 'uint256' }])),
    });
    return ['9', '0', '-9', '0x'].map((digit) =>
      post('/agreements/validate', {
        ...{ agreement, chainId },
        initValues: Object.fromEntries(times(4, (at) => [`v${at}`, long(digit, 30_000)])),
      }),
    );
  }),
  withRequests('values for patterns that backtrack', ({ chainId }) => {
    const pattern = '^(\\w+\\s?)*$';
    const agreement = buildDocument({ variables: { v: { type: 'string', validation: { pattern } } } });
    return [post('/agreements/validate', { agreement, chainId, initValues: { v: `${long('a', 60_000)}!` } })];
  }),
  withRequests('steps at extreme moments', ({ recordId }) => [
    post(`/agreements/${recordId}/simulate`, {
      steps: times(200, (at) => ({
        inputId: 'go',
        values: {},
        by: 'party',
        at: extremes[at % extremes.length],
      })),
    }),
    post(`/agreements/${recordId}/simulate`, {
      steps: times(200, (at) => ({
        inputId: 'go',
        values: {},
        by: 'party',
        at: new Date(2e12 + at).toISOString(),
      })),
    }),
  ]),
  withRequests('objects within objects as deep as may be', ({ chainId }) => {
    const nest = (depth: number): unknown =>
      depth === 0 ? 0 : { a: nest(depth - 1), b: [nest(Math.min(depth - 1, 1))] };
    return [
      post('/agreements/validate', {
        agreement: buildDocument({ variables: { v: nest(50) } }),
        chainId,
        initValues: { v: nest(55) },
      }),
    ];
  }),
  withRequests('members named by numbers', ({ chainId }) => [
    post('/agreements/validate', {
      agreement: buildDocument({ variables: named(512, (at) => String(4_294_967_294 - at)) }),
      ...{ chainId, initValues: Object.fromEntries(times(4_000, (at) => [String(9_999_999 - at), 'x'])) },
    }),
  ]),
  withRequests('members that are there again and again', () => [
    postText('/agreements/validate-template', `{${times(4_000, () => '"a":0').join(',')}}`),
    postText('/agreements/validate-template', `{"a":[${times(39_000, () => '-0.0e-999').join(',')}]}`),
    postText('/agreements/validate-template', `{"a":${long('9', 900_000)}}`),
    postText('/agreements/validate-template', `{"a":"${long('\\ud800', 150_000)}"}`),
  ]),
  withRequests('drafts without end', ({ chainId }) => [
    post('/agreements/drafts', {
      ...{ agreement: buildDocument({ data: long('x', 400_000) }), chainId, displayName: 'x' },
      signer: `0x${'1'.repeat(40)}`,
    }),
  ]),
  withRequests('agreements that are not there', ({ chainId }) =>
    times(20, (at) =>
      post('/agreements/import', {
        ...{ agreement: buildDocument(), chainId, displayName: 'x' },
        address: `0x${String(at + 1).padStart(40, '0')}`,
      }),
    ),
  ),
];
