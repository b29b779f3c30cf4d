import { z } from '@hono/zod-openapi';
import { AccessError, malformed } from '../../platform/errors/serviceError.ts';
import { measureStored } from '../../records/quotas/measureStored.ts';
import { createSession as openSession } from '../../records/sessions/createSession.ts';
import { endSessionOfToken } from '../../records/sessions/endSession.ts';
import { redeemPortalLink } from '../../records/sessions/portalLinks.ts';
import { toSession } from '../../records/sessions/sessionRow.ts';
import { writeConsistency } from '../agreements/consistency.ts';
import { hasApiKey } from '../authentication/authenticator.ts';
import { refuseForeignPage, requireOwnPage } from '../authentication/ownPage.ts';
import type { SessionServices } from '../authentication/sessionServices.ts';
import { defineOpenEndpoint, type Endpoint, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { capabilitiesShape, labelShape, secretShape, sessionShape } from '../shapes/sessionShapes.ts';

/**
 * As long as browsers keep a cookie at most; the service ends the session much earlier. The cookie is set only here: if each
 * answer extended it, a late one could put a former session back into a browser that has opened another.
 */
const cookieSeconds = 400 * 86_400;

const bodyShape = z
  .strictObject({
    capabilities: capabilitiesShape.optional(),
    label: labelShape.optional(),
    link: secretShape('agp_').optional().openapi({
      description: 'The secret of a portal link, instead of an API key. It opens one session.',
    }),
  })
  .optional();

export function createSession(services: SessionServices): Endpoint {
  const { database, limits, quotas, publicBaseUrl, cookies, authenticator, failedAttempts } = services;
  return defineOpenEndpoint({
    method: 'post',
    path: '/v0/sessions',
    operationId: 'createSession',
    tag: 'Sessions',
    summary: 'Open a browser session with an API key or portal link',
    description:
      'Sets an HttpOnly cookie, so the API key need not be stored. The session ends when its key ends, when it is deleted, or after hours without a request. With a portal link, `label` and `capabilities` come from the link, and the header `X-Agreements-Session: 1` is required. An earlier session of the same browser ends. Pages of other origins cannot open a session.',
    credentials: ['apiKey', 'bearer', 'none'],
    params: none,
    query: none,
    body: bodyShape,
    data: { schema: sessionShape, description: 'The session. The cookie is in the headers.' },
    refusals: [400, 413, 415],
    reasons: ['session_limit_reached'],
    example: { body: { label: 'Ada, on her laptop', capabilities: ['agreements.read', 'webhooks.read'] } },
    async admit({ headers, client, limitRate, limitClient }) {
      if (!hasApiKey(headers)) {
        if (client !== undefined) failedAttempts.require(client);
        await limitClient('portal link');
        return undefined;
      }
      refuseForeignPage(headers, publicBaseUrl);
      const caller = await authenticator.authenticate(headers, () => client);
      await limitRate(caller.principalId);
      return caller;
    },
    principalOf: (caller) => caller?.principalId,
    async handle({ headers, body = {}, client, admitted: caller, derive, requestId }) {
      const open = async () => {
        if (body.link === undefined) {
          refuseForeignPage(headers, publicBaseUrl);
          if (!caller)
            throw new AccessError('unauthorized', 'Opening a session requires an API key or a portal link.');
          const { principalId, keyId } = caller;
          const { capabilities = null, label } = body;
          const opened = await openSession(
            database,
            { principalId, keyId, capabilities, label, derive },
            limits,
          );
          quotas.note(principalId, { answerBytes: measureStored([opened.session]) });
          return opened;
        }
        requireOwnPage(headers, publicBaseUrl);
        requireLinkAlone(body);
        return redeemPortalLink(database, body.link, limits).catch((error: unknown) => {
          if (client !== undefined && error instanceof AccessError) failedAttempts.note(client);
          throw error;
        });
      };
      const { session, token } = await open();
      // If the caller has put another session into the browser, the new one does not reach it.
      const former = cookies.read(headers, 'session');
      // A repeated request may come with the cookie of its own session.
      if (former !== token) await endSessionOfToken(database, former);
      const response = respondSingle({
        requestId,
        dataText: JSON.stringify(toSession(session, session.id)),
        consistency: writeConsistency([]),
      });
      response.headers.set('set-cookie', cookies.write('session', token, cookieSeconds));
      return response;
    },
  });
}

/** @throws MalformedError if the link is to be widened, or named otherwise. */
function requireLinkAlone(body: object): void {
  const issues = ['capabilities', 'label']
    .filter((name) => name in body)
    .map((path) => ({ path, message: 'must be left out: the link sets it' }));
  if (issues.length > 0) throw malformed('body', issues);
}
