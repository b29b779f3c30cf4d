import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiContract, readContract } from '../service/support/apiContract.ts';
import { resolveSchema } from '../service/support/closeSchema.ts';
import { type StandInWorker, startStandInWorker } from '../service/support/standInWorker.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from '../service/support/testChain.ts';
import { startTestService, type TestService } from '../service/support/testService.ts';
import { createRandom } from '../support/random.ts';
import { buildRequest, type FuzzRequest, type Target } from './support/buildRequest.ts';
import { createRawSender, type RawAnswer } from './support/sendRaw.ts';
import { createParty, type Party } from './support/world.ts';

/**
 * Sends requests of all kinds to every route, in the names of two principals. The seed, the request's number
 * and the earlier answers determine each request.
 */
const size = Number(process.env.FUZZ_REQUESTS ?? 400);
/** Numbers of requests, to send only these. */
const only = process.env.FUZZ_ONLY?.split(',').map(Number);
const numbers = only ?? Array.from({ length: size }, (_, at) => at);
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
/** The longest time for an answer. By default unlimited, because a busy machine makes everything slow. */
const maxMs = Number(process.env.FUZZ_MAX_MS ?? Number.POSITIVE_INFINITY);
const lanes = 4;
/** Waits for a worker to deliver, but no worker runs here. */
const waiting = new Set(['testWebhook']);

let chain: TestChain;
let service: TestService;
let worker: StandInWorker;
let parties: readonly [Party, Party];
let contract: ApiContract;
beforeAll(async () => {
  chain = await startTestChain();
  const env = {
    DEPLOY_WAIT_MS: '100',
    SIGNING_WAIT_MS: '100',
    CONSISTENCY_WAIT_MS: '100',
    WEBHOOK_TIMEOUT_MS: '1',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  service = await startTestService({ rpcUrls: { [chainId]: chain.rpcUrl }, env });
  await offerWallet(service, chain);
  worker = await startStandInWorker(service, chain);
  const setting = { chain, worker };
  parties = [await createParty('A', service, setting), await createParty('B', service, setting)];
  contract = await readContract(service.baseUrl);
});
afterAll(async () => {
  await worker?.stop();
  await service?.close();
  await chain?.stop();
});

type Sent = { at: number; party: Party; request: FuzzRequest; answer: RawAnswer };

test(`no request fails the service, gets an answer that is not documented, or sees what is another's`, async () => {
  const targets = listTargets(contract);
  const sender = createRawSender(service.baseUrl);
  const faults: string[] = [];
  const times: { ms: number; status: number; operationId: string; at: number }[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = numbers[next++]; at !== undefined && faults.length < 20; at = numbers[next++]) {
      const random = createRandom(seed + at * 7_919);
      const [self, other] = random() < 0.5 ? parties : [parties[1], parties[0]];
      const request = buildRequest(targets, { self, other }, random);
      try {
        const answer = await sender.send(request);
        faults.push(...listFaults({ at, party: self, request, answer }, other));
        learn(self, answer);
        times.push({ ms: answer.ms, status: answer.status, operationId: request.operationId, at });
      } catch (error) {
        faults.push(`${describe({ at, party: self, request })}: ${String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  sender.close();
  report(times);
  expect(faults, `FUZZ_SEED=${seed} FUZZ_REQUESTS=${size}`).toEqual([]);
  expect(times).toHaveLength(numbers.length);
  const operations = new Set(targets.map(({ operation }) => operation.operationId));
  if (numbers.length < operations.size * 10) return;
  const reached = new Set(times.map(({ operationId }) => operationId));
  expect([...operations].filter((operation) => !reached.has(operation))).toEqual([]);
});

function listTargets({ document }: ApiContract): Target[] {
  const resolve = (schema: Record<string, unknown>) => resolveSchema(schema, document.components.schemas);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      // An endless stream has no end to wait for.
      if ('text/event-stream' in (operation.responses['200']?.content ?? {})) return [];
      const { parameters, requestBody } = operation;
      const json = requestBody?.content['application/json'];
      return {
        method: method.toUpperCase(),
        path,
        operation: {
          ...operation,
          parameters: parameters.map((one) => ({ ...one, schema: resolve(one.schema) })),
          ...(json && {
            requestBody: { content: { 'application/json': { ...json, schema: resolve(json.schema) } } },
          }),
        },
      };
    }),
  );
}

function listFaults(sent: Sent, other: Party): string[] {
  const { request, answer } = sent;
  const { method, path } = request;
  const { status, headers, text, ms } = answer;
  const faults: string[] = [];
  if (status === 500) faults.push('failed');
  if (ms > maxMs && !waiting.has(request.operationId)) faults.push(`took ${Math.round(ms)} ms`);
  const said = `${path} ${JSON.stringify(request.headers)} ${request.body?.toString('utf8') ?? ''}`;
  const told = `${text} ${JSON.stringify([...headers])}`.toLowerCase();
  for (const canary of other.canaries)
    if (told.includes(canary.toLowerCase()) && !said.toLowerCase().includes(canary.toLowerCase()))
      faults.push(`tells of ${canary}`);
  try {
    contract.check({ method, path, status, headers, text });
  } catch (error) {
    faults.push(String(error).slice(0, 1_500));
  }
  return faults.map((fault) => `${describe(sent)} → ${status}: ${fault}`);
}

function describe({ at, party, request }: Pick<Sent, 'at' | 'party' | 'request'>): string {
  const { method, headers, body } = request;
  const path = request.path.slice(0, 400);
  const { 'x-api-key': _, ...shown } = headers;
  return `request ${at} of ${party.name}: ${method} ${path} ${JSON.stringify(shown)} ${body?.toString('utf8').slice(0, 400) ?? ''}`;
}

/** Keeps the ids, cursors and tokens of an answer for later requests. */
function learn(party: Party, { status, text }: RawAnswer): void {
  if (status >= 300) return;
  for (const [, value = ''] of text.matchAll(/"(?:id|deliveryId|nextCursor|consistency)":"([\w.~=-]+)"/g))
    party.learned.push(value);
}

function report(times: { ms: number; status: number; operationId: string; at: number }[]): void {
  const slowest = times
    .filter(({ operationId }) => !waiting.has(operationId))
    .toSorted((a, b) => a.ms - b.ms);
  const quantile = (part: number) => slowest[Math.floor((slowest.length - 1) * part)]?.ms.toFixed(1);
  const statuses = [...Map.groupBy(times, ({ status }) => status)].toSorted(([a], [b]) => a - b);
  console.log(
    [
      `FUZZ_SEED=${seed}: ${times.length} requests; p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${quantile(1)} ms`,
      statuses.map(([status, all]) => `${status}: ${all.length}`).join(', '),
      ...slowest
        .slice(-5)
        .toReversed()
        .map(
          ({ ms, status, operationId, at }) =>
            `${ms.toFixed(0)} ms  ${operationId} → ${status} (request ${at})`,
        ),
    ].join('\n'),
  );
}
