import { type RouteConfig, z } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import type { EventType } from '../../platform/database/tables/events.ts';
import { notificationEventShape, testEventShape, transitionedEventShape } from '../shapes/eventShapes.ts';

type Sent = { type: EventType; shape: z.ZodType; summary: string };

const sent: readonly Sent[] = [
  {
    type: 'agreement.transitioned',
    shape: transitionedEventShape,
    summary: 'An agreement was deployed, or an input has changed its state',
  },
  {
    type: 'agreement.notification.triggered',
    shape: notificationEventShape,
    summary: 'A notification rule has fired for a recipient',
  },
  { type: 'webhook.test', shape: testEventShape, summary: 'A subscription is tested' },
];

const description =
  'Arrives at least once, signed by the headers below; verify one of the two signatures against the bytes of the body before it is parsed, and refuse timestamps that are more than 300 seconds off. Store the event by its id before answering: whatever comes with a known id is a repetition.';

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
      '2XX': { description: 'The event is stored. What the answer holds besides does not matter.' },
      '3XX': { description: 'Redirects are not followed: as 4XX.' },
      '4XX': { description: 'The delivery has failed for good, until it is redelivered.' },
      '5XX': { description: 'The delivery is attempted again later, as after no answer at all.' },
    },
  }));
}

function buildHeaders(own: string): z.ZodObject {
  const id = z.string().openapi({ description: "The event's id, as in the body." });
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
          'HMAC-SHA256 of `<timestamp>.<body>`, keyed with the characters of the whole secret, `whsec_` included. After a rotation of the secret it is the old one until the grace has ended.',
      }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': z.string().openapi({
      description:
        'Of the Standard Webhooks specification: HMAC-SHA256 of `<id>.<timestamp>.<body>`, keyed with the base64 decoding of what follows `whsec_`, as `v1,` and base64. After a rotation of the secret there are two, with a blank between them.',
      example: 'v1,oWQnEk9yQL6Y5P1I6mQtczcNFhjeELIJCxT0QdpkYao=',
    }),
  });
}
