import { openStates } from '../database/tables/transactions.ts';
import type { EndpointFacts } from '../nodes/endpoint.ts';
import type { OutboxCount, Position } from './readFacts.ts';
import type { Readiness } from './readiness.ts';

/**
 * Readiness in the form that operators and their programs read; lags are computed at `nowMs`. Endpoints do
 * not decide about it: if this process cannot reach one, others may not reach it either. A chain of which it reaches none is degraded.
 */
export function describeReadiness(
  { isReady, checks, reasons, degraded, chains }: Readiness,
  endpoints: readonly EndpointFacts[],
  nowMs: number,
) {
  return {
    status: isReady ? 'ready' : 'unready',
    checks,
    reasons,
    degraded: [...degraded, ...describeUnreached(chains, endpoints), ...describeOthers(endpoints)],
    endpoints: endpoints.map(({ chainId, host, status, blockNumber, behindBlocks, ...facts }) => ({
      chainId,
      host,
      status,
      blockNumber,
      behindBlocks,
      restsForSeconds: Math.ceil(facts.restsForMs / 1000),
      failuresInARow: facts.failuresInARow,
    })),
    chains: chains.map(({ chainId, index, folded, rebuilding, silentSince, outbox, wallets }) => ({
      chainId,
      index: index && describePosition(index, nowMs),
      folded: folded && describePosition(folded, nowMs),
      rebuilding,
      silentSince,
      outbox: { ...measureOutbox(outbox), byState: countByState(outbox) },
      wallets: wallets.map(({ address, status, balance, nextNonce, underWay }) => ({
        address,
        status,
        balanceWei: balance,
        nextNonce,
        underWay,
      })),
    })),
  };
}

/** Chains whose nodes all fail, unless the indexer has reported so itself. */
function describeUnreached(chains: Readiness['chains'], endpoints: readonly EndpointFacts[]): string[] {
  const isSilent = (chainId: number) =>
    chains.some((chain) => chain.chainId === chainId && chain.silentSince !== null);
  const byChain = Map.groupBy(endpoints, ({ chainId }) => chainId);
  return [...byChain]
    .filter(([chainId, nodes]) => nodes.every(({ status }) => status === 'failing') && !isSilent(chainId))
    .map(([chainId]) => `chain ${chainId}: none of its nodes answers this process`);
}

function describeOthers(endpoints: readonly EndpointFacts[]): string[] {
  return endpoints
    .filter(({ status }) => status === 'otherChain')
    .map(
      ({ chainId, host }) => `chain ${chainId}: its node ${host} belongs to another chain and is not used`,
    );
}

/** Seconds between a block and now; a chain whose clock is ahead does not lag. */
export function measureLag({ timestamp }: Position, nowMs: number): number {
  return Math.max(0, Math.round(nowMs / 1000 - timestamp));
}

/** How many transactions wait to be mined, and how long the oldest has waited. */
export function measureOutbox(counts: readonly OutboxCount[]): { depth: number; oldestAgeSeconds: number } {
  const open = counts.filter(({ state }) => openStates.some((one) => one === state));
  return {
    depth: open.reduce((sum, { count }) => sum + count, 0),
    oldestAgeSeconds: Math.round(Math.max(0, ...open.map(({ oldestAgeSeconds }) => oldestAgeSeconds))),
  };
}

function describePosition(position: Position, nowMs: number) {
  return {
    blockNumber: position.blockNumber,
    timestamp: new Date(position.timestamp * 1000).toISOString(),
    lagSeconds: measureLag(position, nowMs),
  };
}

function countByState(counts: readonly OutboxCount[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
}
