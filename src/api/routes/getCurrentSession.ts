import { eq } from 'drizzle-orm';
import { principals } from '../../platform/database/tables/access.ts';
import type { Services } from '../../records/agreements/services.ts';
import { scopes } from '../../records/principals/scopes.ts';
import { getSession } from '../../records/sessions/listSessions.ts';
import { toSession } from '../../records/sessions/sessionRow.ts';
import type { Caller } from '../authentication/authenticator.ts';
import { defineEndpoint, type Endpoint, noBody, none } from '../endpoint/defineEndpoint.ts';
import { respondSingle } from '../shapes/envelopes.ts';
import { currentShape } from '../shapes/sessionShapes.ts';

export function getCurrentSession({ database }: Services): Endpoint {
  return defineEndpoint({
    method: 'get',
    path: '/v0/sessions/current',
    operationId: 'getCurrentSession',
    tag: 'Sessions',
    summary: 'Read the current caller and its access',
    scope: null,
    params: none,
    query: none,
    body: noBody,
    data: { schema: currentShape, description: 'The caller.' },
    refusals: [404],
    example: {},
    async handle({ caller, requestId }) {
      const { principalId, session } = caller;
      const [principal] = await database
        .select({ id: principals.id, name: principals.name })
        .from(principals)
        .where(eq(principals.id, principalId));
      const row = session && (await getSession(database, { id: session.id, principalId }));
      const data = { principal, session: row && toSession(row, row.id), scopes: listModes(caller) };
      return respondSingle({ requestId, dataText: JSON.stringify(data) });
    },
  });
}

function listModes({ modes, session }: Caller) {
  const capabilities = session?.capabilities ?? scopes;
  const governed = capabilities.flatMap((scope) => (modes[scope] ? [[scope, modes[scope]] as const] : []));
  return Object.fromEntries(governed);
}
