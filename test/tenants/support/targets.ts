import type { Cost } from '../measureRequests.ts';
import { findOperation, type Operation } from './apiOperations.ts';
import type { WorstRequest } from './worstRequests.ts';

/** The names of the routes and tools to measure, each with the names of its requests. */
export type Targets = ReadonlyMap<string, readonly string[]>;

/** Every route of the OpenAPI document and every tool offered to agents, with their requests. */
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

/** The targets without any successful request: refusals alone measure nothing. */
export function listUnmeasured(targets: Targets, costs: readonly Cost[]): string[] {
  const byName = new Map(costs.map((cost) => [cost.name, cost]));
  return [...targets].flatMap(([target, names]) => {
    const sent = names.flatMap((name) => byName.get(name) ?? []);
    if (sent.some(({ isAnswered }) => isAnswered)) return [];
    const refusals = sent.slice(0, 3).map(({ status, refusal }) => `${status} ${refusal}`);
    return [`${target}: ${refusals.join('; ') || 'no request'}`];
  });
}
