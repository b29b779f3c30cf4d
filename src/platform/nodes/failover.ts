import { setTimeout as delay } from 'node:timers/promises';
import { custom, type RpcRequestError, type Transport } from 'viem';
import { traceStep } from '../tracing/tracing.ts';
import { AnswerTooLongError } from './answerTooLongError.ts';
import { blockMethods, type RpcCall } from './batchedRpc.ts';
import type { Endpoint } from './endpoint.ts';
import { EndpointsRestError } from './endpointsRestError.ts';
import { readNodeAnswer } from './nodeAnswer.ts';
import { findCallFault, findNodeAnswer } from './unavailable.ts';

/** `isFinal`: no other endpoint could give a better answer. */
type Failure = { readonly error: unknown; readonly isFinal: boolean; readonly isRefusal: boolean };

const roundPauseMs = 100;
/** A pause that ends this soon is awaited if there is no other endpoint. */
const patienceMs = 2_000;
/** A node's error for too many calls, in a request that went through. */
const limitCodes = new Set([-32_005, 429]);
const limitWords =
  /rate.?limit|too many requests|exceeded.{0,20}(quota|requests|limit)|(daily|monthly) request/i;

/**
 * Asks the endpoints of a chain in the given order, lagging ones last, each within its budget, and skips
 * resting ones. It asks the next one if an endpoint does not answer, is limited, or reports a problem of its
 * own. A revert is an answer. A refusal of a transaction's bytes is only a hint: the others are asked too,
 * and one acceptance is enough. If none has answered, all are asked once more. An answer that is too long counts as an
 * endpoint's failure only if another one's is not.
 */
export function failover(endpoints: readonly Endpoint[], { timeoutMs }: { timeoutMs: number }): Transport {
  const ask = async (call: RpcCall): Promise<unknown> => {
    let failure = await askRound(endpoints, call, timeoutMs);
    if ('answer' in failure) return failure.answer;
    if (!failure.isRefusal && !(failure.error instanceof EndpointsRestError)) {
      await delay(roundPauseMs);
      const second = await askRound(endpoints, call, timeoutMs);
      if ('answer' in second) return second.answer;
      failure = second;
    }
    throw failure.error;
  };
  return custom({ request: ask }, { key: 'failover', name: 'Failover', retryCount: 0 });
}

type Answered = { readonly answer: unknown };

/** One call to each endpoint until one answers. */
async function askRound(
  endpoints: readonly Endpoint[],
  call: RpcCall,
  timeoutMs: number,
): Promise<Answered | Failure> {
  const tooLong: Endpoint[] = [];
  const ask = async (endpoint: Endpoint) => {
    const outcome = await askOne(endpoint, call);
    if (isTooLong(outcome)) tooLong.push(endpoint);
    return outcome;
  };
  const outcome = await askInTurn(endpoints, { ask, timeoutMs });
  // Null: an endpoint that lacks the block or receipt does not know its length.
  const isRefuted = 'answer' in outcome && outcome.answer !== null;
  for (const { health } of tooLong) isRefuted ? health.noteFailure() : health.noteAnswer();
  if (tooLong.length > 0 && !isRefuted && blockMethods.has(call.method)) return longBlock();
  return outcome;
}

/** Callers make do without a block that is too long, but not without one that an endpoint merely lacks. */
function longBlock(): Failure {
  return { error: new AnswerTooLongError(), isFinal: false, isRefusal: true };
}

async function askInTurn(
  endpoints: readonly Endpoint[],
  { ask, timeoutMs }: { ask(endpoint: Endpoint): Promise<Answered | Failure>; timeoutMs: number },
): Promise<Answered | Failure> {
  let failure: Failure | undefined;
  let asked = 0;
  const usable = endpoints
    .filter((endpoint) => isUsable(endpoint, endpoints))
    .toSorted((one, other) => Number(one.height.isLagging()) - Number(other.height.isLagging()));
  for (const endpoint of usable) {
    if (!endpoint.budget.take()) continue;
    asked++;
    const outcome = await ask(endpoint);
    if ('answer' in outcome || outcome.isFinal) return outcome;
    failure = worthier(failure, outcome);
  }
  if (failure || asked > 0)
    return failure ?? { error: new EndpointsRestError(0), isFinal: false, isRefusal: false };
  const spare = chooseSpare(endpoints);
  const waitMs = spare ? Math.max(spare.budget.waitMs(), restOf(spare)) : patienceMs;
  const mostMs = spare && restOf(spare) === 0 ? timeoutMs : patienceMs;
  if (!spare || waitMs > mostMs) {
    return { error: new EndpointsRestError(waitMs), isFinal: false, isRefusal: false };
  }
  await delay(Math.max(spare.budget.reserve(), restOf(spare)));
  return ask(spare);
}

/**
 * Whether callers can rely on it. After its rest it is first tried alone, as long as other endpoints can
 * serve the callers.
 */
function isUsable(endpoint: Endpoint, all: readonly Endpoint[]): boolean {
  const { health } = endpoint;
  if (health.restsForMs() > 0) return false;
  if (!health.needsProbe() || !all.some((other) => other !== endpoint && other.health.status() === 'ok'))
    return true;
  probe(endpoint);
  return false;
}

const probing = new WeakSet<Endpoint>();

function probe(endpoint: Endpoint): void {
  if (probing.has(endpoint) || !endpoint.budget.take()) return;
  probing.add(endpoint);
  void askOne(endpoint, { method: 'eth_chainId' }).finally(() => probing.delete(endpoint));
}

/**
 * The endpoints to ask although all should rest: never one that asked for its rest, before that is over, and one of
 * another chain only if there is no other.
 */
function chooseSpare(endpoints: readonly Endpoint[]): Endpoint | undefined {
  const waitOf = (endpoint: Endpoint) => Math.max(endpoint.budget.waitMs(), restOf(endpoint));
  const isOther = ({ health }: Endpoint) => Number(health.status() === 'otherChain');
  return endpoints.toSorted((one, other) => isOther(one) - isOther(other) || waitOf(one) - waitOf(other))[0];
}

/** A rest after failures was not requested by the endpoint. If all rest, it may be cut short. */
function restOf({ health }: Endpoint): number {
  return health.status() === 'limited' ? health.restsForMs() : 0;
}

function askOne(endpoint: Endpoint, call: RpcCall): Promise<Answered | Failure> {
  const attributes = {
    'rpc.system': 'jsonrpc',
    'rpc.method': call.method,
    'server.address': endpoint.host,
  };
  return traceStep({ name: call.method, kind: 'CLIENT', attributes }, async (span) => {
    const outcome = await send(endpoint, call);
    if ('error' in outcome)
      span.note({ 'error.type': outcome.error instanceof Error ? outcome.error.name : 'unknown' });
    return outcome;
  });
}

async function send({ ask, health }: Endpoint, call: RpcCall): Promise<Answered | Failure> {
  try {
    return { answer: await ask(call) };
  } catch (error) {
    if (error instanceof AnswerTooLongError) return { error, isFinal: false, isRefusal: true };
    const refusal = findNodeAnswer(error);
    if (refusal && isLimit(refusal, call)) health.noteLimit(undefined);
    if (call.method !== 'eth_sendRawTransaction')
      return { error, isFinal: findCallFault(error) !== undefined, isRefusal: refusal !== undefined };
    const said = readNodeAnswer(error);
    return { error, isFinal: said === 'accepted', isRefusal: said !== 'unavailable' };
  }
}

/**
 * A node's answer is worth more than another node's missing answer; of two answers, the preferred endpoint's
 * counts. Callers make do without a block that is too long, whatever other nodes say of it.
 */
function worthier(one: Failure | undefined, other: Failure): Failure {
  if (!one || isTooLong(other)) return other;
  return !one.isRefusal && other.isRefusal ? other : one;
}

function isTooLong(outcome: Answered | Failure): boolean {
  return 'error' in outcome && outcome.error instanceof AnswerTooLongError;
}

function isLimit({ code, details }: RpcRequestError, { method }: RpcCall): boolean {
  // Endpoints use the same code for a range of logs that is too wide.
  return (limitCodes.has(code) && method !== 'eth_getLogs') || limitWords.test(details);
}
