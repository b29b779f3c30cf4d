import { z } from '@hono/zod-openapi';
import type { Limits } from '../../platform/config/limits.ts';
import { type Place, parseShape } from '../../platform/errors/parseShape.ts';
import { malformed, NotFoundError } from '../../platform/errors/serviceError.ts';
import type { Issue } from '../../protocol/errors.ts';
import { isUnfit, listUnfit } from '../shapes/textFitness.ts';
import type { EndpointParts } from './endpointDefinition.ts';
import { readBodyBytes, readJsonBody } from './jsonBody.ts';
import { readQuery } from './readQuery.ts';

/** The agreement is one level below the body. */
const levelsAboveAgreement = 1;

/** No route takes a list as long as this; its own limit is lower. */
const longestList = 1_000;

/** Reads the body from the request unless it has been read already. */
type BodySource = { limits: Limits; bytes: Uint8Array | undefined };

export type RequestReader<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = {
  /** The query of a read, and its consistency tokens. */
  parseQuery(url: string): { consistency?: string | undefined; values: z.output<Query> };
  /** Checks a query that was read already, without tokens. */
  checkQuery(sent: Readonly<Record<string, string>>): z.output<Query>;
  parseParams(params: Readonly<Record<string, string>>): z.output<Params>;
  readBody(request: Request, source: BodySource): Promise<z.output<Body>>;
  /** Checks a body that was parsed already. */
  checkBody(value: unknown, limits: Limits): Promise<z.output<Body>>;
};

/**
 * Checks the parts of requests against an endpoint's declared shapes; an invalid part throws all of its
 * faults. Without `takesTokens`, a consistency token is a parameter like any other.
 */
export function buildRequestReader<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  definition: EndpointParts<Params, Query, Body>,
  { takesTokens = true }: { takesTokens?: boolean } = {},
): RequestReader<Params, Query, Body> {
  const { method, params, query, body, refuseBody = (issues) => malformed('body', issues) } = definition;
  const hasBody = !(body instanceof z.ZodUndefined);
  const isBodyOptional = body instanceof z.ZodOptional;
  const hasTokens = takesTokens && (method === 'get' || definition.isRead === true);

  /** The result for a request without a query, which is always the same. */
  let defaults: z.output<Query> | undefined;
  const findDefaults = () => {
    if (defaults !== undefined) return defaults;
    const found = check(query, {}, 'query');
    Object.freeze(found);
    defaults = found;
    return found;
  };

  const parseQuery: RequestReader<Params, Query, Body>['parseQuery'] = (url) => {
    if (!url.includes('?')) return { values: findDefaults() };
    const sent = readQuery(url);
    if (!hasTokens) return { values: check(query, sent, 'query') };
    const { consistency } = sent;
    delete sent.consistency;
    return { consistency, values: check(query, sent, 'query') };
  };

  const readBody: RequestReader<Params, Query, Body>['readBody'] = async (request, { limits, bytes }) => {
    if (!hasBody) return check(body, undefined, 'body');
    const { bodyBytes: limitBytes, bodyValues: limitValues } = limits;
    const sent = isBodyOptional ? (bytes ?? (await readBodyBytes(request, limitBytes))) : bytes;
    const isLeftOut = isBodyOptional && sent?.byteLength === 0;
    const value = isLeftOut
      ? undefined
      : await readJsonBody(request, { limitBytes, limitValues, bytes: sent });
    return checkBody(value, limits);
  };

  const checkBody: RequestReader<Params, Query, Body>['checkBody'] = async (value, limits) => {
    if (!hasBody) return check(body, undefined, 'body');
    const unfit = listUnfit(value, limits.agreementNesting + levelsAboveAgreement);
    if (unfit.length > 0) throw await refuseBody(unfit, value);
    const long = listLongMembers(body, value);
    if (long.length > 0) throw await refuseBody(long, value);
    const parsed = parseShape(body, value, 'body');
    if (parsed.ok) return parsed.data;
    throw await refuseBody(parsed.issues, value);
  };

  return {
    parseQuery,
    checkQuery: (sent) => check(query, sent, 'query'),
    parseParams: (sent) => {
      const parsed = check(params, sent, 'path');
      // The database stores no such text, so nothing has this id.
      if (Object.values(sent).some(isUnfit)) throw new NotFoundError('Nothing exists under this id.');
      return parsed;
    },
    readBody,
    checkBody,
  };
}

function check<Shape extends z.ZodType>(shape: Shape, value: unknown, place: Place): z.output<Shape> {
  const parsed = parseShape(shape, value, place);
  if (parsed.ok) return parsed.data;
  throw malformed(place, parsed.issues);
}

/** The lists among the declared members, without those inside members that pass unchecked. */
function listLongMembers(shape: z.ZodType, value: unknown): Issue[] {
  if (!(shape instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([path, member]) =>
    Array.isArray(member) && member.length > longestList && path in shape.shape
      ? [{ path, message: `must have no more than ${longestList} items` }]
      : [],
  );
}
