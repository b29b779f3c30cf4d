import type { Flaws } from '../support/flaws.ts';
import { listCostly } from './measureRequests.ts';
import type { RequestsReport, TenantsReport } from './runTenants.ts';
import { type Factor, listDelays } from './support/compareTimes.ts';

const shown = 15;
const mebibyte = 1024 * 1024;
/** The memory limit of a process that serves many principals. */
const mostBytes = 600 * mebibyte;
/** The longest time that the worker may compute without a pause. */
const workerTurnMs = 100;

export function describeRequests({ costs }: RequestsReport): string {
  const slowest = costs.toSorted((one, other) => other.turnMs - one.turnMs).slice(0, shown);
  const hungriest = costs.toSorted((one, other) => other.memoryBytes - one.memoryBytes).slice(0, 5);
  const largest = costs.toSorted((one, other) => other.bytes - one.bytes).slice(0, 5);
  return [
    `${costs.length} requests measured; the longest turns of the event loop, the first time in brackets:`,
    ...slowest.map(
      ({ name, status, turnMs, firstMs }) =>
        `  ${turnMs.toFixed(1).padStart(7)} ms  (${firstMs.toFixed(0)})  ${status}  ${name}`,
    ),
    'the most memory:',
    ...hungriest.map(
      ({ name, memoryBytes }) => `  ${(memoryBytes / mebibyte).toFixed(0).padStart(5)} MiB  ${name}`,
    ),
    'the largest answers:',
    ...largest.map(({ name, bytes }) => `  ${String(bytes).padStart(9)} bytes  ${name}`),
  ].join('\n');
}

/** A report on all parts. */
export function describeReport({
  costs,
  unmeasured,
  attack,
  attacked,
  fold,
  peakBytes,
  workerTurnMs: turn,
}: TenantsReport): string {
  return [
    describeRequests({ costs, unmeasured }),
    'a neighbour without and with a hostile principal, at the 99th of a hundred:',
    ...attack.map(describeFactor),
    ...attacked.map((counts) => `  the hostile principal was answered ${JSON.stringify(counts)}`),
    'the same without and with a fold that cannot succeed:',
    ...fold.map(describeFactor),
    `the worker computed for ${turn.toFixed(0)} ms at a time at most`,
    ...Object.entries(peakBytes).map(
      ([kind, bytes]) => `${kind}: ${Math.round(bytes / mebibyte)} MiB at most`,
    ),
  ].join('\n');
}

function describeFactor({ kind, quietMs, disturbedMs, machineFactor, factor }: Factor): string {
  const times = `${quietMs.toFixed(0)} ms, ${disturbedMs.toFixed(0)} ms`;
  return `  ${kind}: ${times} (factor ${factor.toFixed(1)}, and ${machineFactor.toFixed(1)} of a server beside it)`;
}

/** The flaws of the requests by themselves. */
export function listRequestFlaws({ costs, unmeasured }: RequestsReport): Flaws {
  return {
    'routes and tools without a worst request that succeeds': unmeasured,
    'requests that cost too much': listCostly(costs),
  };
}

/** The flaws of all parts. */
export function listFlaws({
  costs,
  unmeasured,
  attack,
  attacked,
  fold,
  peakBytes,
  workerTurnMs: turn,
  failures,
}: TenantsReport): Flaws {
  return {
    ...listRequestFlaws({ costs, unmeasured }),
    'delays of a neighbour beside an attack': listDelays(attack),
    'delays of a neighbour beside a fold that cannot succeed': listDelays(fold),
    'requests of a neighbour that failed': failures,
    'answers that are failures': attacked.flatMap((counts) =>
      ['0', '500', '503']
        .filter((status) => counts[status])
        .map((status) => `${counts[status]} times ${status}`),
    ),
    'processes that grew too large': Object.entries(peakBytes)
      .filter(([, bytes]) => bytes > mostBytes)
      .map(([kind, bytes]) => `${kind}: ${Math.round(bytes / mebibyte)} MiB`),
    'turns of the worker': turn > workerTurnMs ? [`${turn.toFixed(0)} ms`] : [],
  };
}
