import type { Cost } from '../measureRequests.ts';
import { findOperation, type Operation } from './apiOperations.ts';
import type { WorstRequest } from './worstRequests.ts';

/** What has to be measured, by its name, and the names of the requests that do so. */
export type Targets = ReadonlyMap<string, readonly string[]>;

/** Every route that the OpenAPI document has, and every tool that agents are offered, with the requests that go there. */
export function listTargets({
  operations,
  tools,
  requests,
}: {
  operations: readonly Operation[];
  tools: readonly string[];
  requests: readonly WorstRequest[];
}): Targets {
  const byTarget = Map.groupBy(
    requests,
    (request) => request.tool ?? findOperation(operations, request)?.operationId,
  );
  const names = [...operations.map(({ operationId }) => operationId), ...tools];
  return new Map(names.map((name) => [name, (byTarget.get(name) ?? []).map((request) => request.name)]));
}

/** The targets none of whose requests has succeeded: what is always refused is not measured. */
export function listUnmeasured(targets: Targets, costs: readonly Cost[]): string[] {
  const byName = new Map(costs.map((cost) => [cost.name, cost]));
  return [...targets].flatMap(([target, names]) => {
    const sent = names.flatMap((name) => byName.get(name) ?? []);
    if (sent.some(({ isAnswered }) => isAnswered)) return [];
    const refusals = sent.slice(0, 3).map(({ status, refusal }) => `${status} ${refusal}`);
    return [`${target}: ${refusals.join('; ') || 'no request'}`];
  });
}
