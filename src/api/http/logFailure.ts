import type { Context } from 'hono';
import type { Logger } from 'pino';
import { cut } from '../../platform/errors/faultPath.ts';
import { bigintsAsText, type ErrorDescription } from '../../platform/http/errorResponse.ts';
import type { AppEnv } from '../endpoint/appEnv.ts';

/** Logs why a request has failed, with its details in short. */
export function logFailure(failure: {
  logger: Logger;
  context: Context<AppEnv>;
  requestId: string;
  error: Error;
  description: ErrorDescription;
}): void {
  const { logger, context, requestId, error, description } = failure;
  const { method, path } = context.req;
  const principalId = context.get('principalId');
  const facts = { requestId, method, path, status: description.status, principalId };
  if (description.status === 500) logger.error({ ...facts, err: error }, 'a request failed');
  else if (description.status === 503) logger.warn({ ...facts, err: error }, 'a request could not be served');
  else
    logger.info(
      { ...facts, ...shorten(description.details), refusal: error.message },
      'a request was refused',
    );
}

const loggedIssues = 5;
const longestLogged = 500;

/** Callers choose much of the details, and must not fill the log. */
function shorten(details: ErrorDescription['details'] = {}): Record<string, unknown> {
  const { issues, ...facts } = details;
  const shown = Object.entries(facts).map(([name, fact]) => [name, shortenFact(fact)]);
  return {
    ...Object.fromEntries(shown),
    ...(issues && { issues: issues.slice(0, loggedIssues).map(shortenFact) }),
  };
}

function shortenFact(fact: unknown): unknown {
  if (typeof fact === 'string') return cut(fact, longestLogged);
  if (typeof fact !== 'object' || fact === null) return fact;
  const json = JSON.stringify(fact, bigintsAsText);
  return json.length <= longestLogged ? fact : cut(json, longestLogged);
}
