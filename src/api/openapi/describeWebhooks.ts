import { type RouteConfig, z } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { EventType } from '../../platform/database/tables/events.ts';
import { notificationEventShape, testEventShape, transitionedEventShape } from '../shapes/eventShapes.ts';

type Sent = { type: EventType; shape: z.ZodType; summary: string };

const sent: readonly Sent[] = [
  {
    type: 'agreement.transitioned',
    shape: transitionedEventShape,
    summary: 'An agreement was deployed, or an input changed its state',
  },
  {
    type: 'agreement.notification.triggered',
    shape: notificationEventShape,
    summary: 'A notification rule fired for a recipient',
  },
  { type: 'webhook.test', shape: testEventShape, summary: 'A subscription was tested' },
];

const description =
  'Delivered at least once and signed in the headers below. Verify one of the two signatures against the raw body bytes before parsing. Reject timestamps that differ from the current time by more than 300 seconds. Store the event by its id before responding; ignore an event whose id is already stored.';

/**
 * The requests that subscribers of this profile receive, for the API's document; the path is the event's
 * type.
 */
export function describeWebhooks(profile: ClientProfile): RouteConfig[] {
  const headers = buildHeaders(profile === 'shodai' ? 'x-shodai-webhook' : 'x-svc-webhook');
  return sent.map(({ type, shape, summary }) => ({
    method: 'post',
    path: type,
    operationId: `receive ${type}`.replaceAll(/[ .](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary,
    description,
    security: [],
    request: {
      headers,
      body: { required: true, content: { 'application/json': { schema: shape } } },
    },
    responses: {
      '2XX': { description: 'The event is stored. The body of the response is ignored.' },
      '3XX': { description: 'Redirects are not followed. Handled like 4XX.' },
      '4XX': { description: 'The delivery failed and is not retried. It can be redelivered.' },
      '5XX': { description: 'The delivery is retried later. The same applies if there is no response.' },
    },
  }));
}

function buildHeaders(own: string): z.ZodObject {
  const id = z.string().openapi({ description: 'The id of the event, equal to `id` in the body.' });
  const timestamp = z
    .string()
    .regex(/^\d+$/)
    .openapi({ description: 'When the attempt was signed, in Unix seconds.', example: '1780315200' });
  return z.object({
    [`${own}-id`]: id,
    [`${own}-timestamp`]: timestamp,
    [`${own}-signature`]: z
      .string()
      .regex(/^sha256=[0-9a-f]{64}$/)
      .openapi({
        description:
          'HMAC-SHA256 of `<timestamp>.<body>`. The key is the UTF-8 text of the whole secret, including `whsec_`. After a rotation, the old secret is used until the grace period ends.',
      }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': z.string().openapi({
      description:
        'Standard Webhooks signature: `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`. The key is the part of the secret after `whsec_`, decoded from base64. During the grace period after a rotation, there are two signatures separated by a space.',
      example: 'v1,oWQnEk9yQL6Y5P1I6mQtczcNFhjeELIJCxT0QdpkYao=',
    }),
  });
}
