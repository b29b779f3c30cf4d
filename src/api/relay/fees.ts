import type { PublicClient } from 'viem';
import type { RelaySettings } from '../config/relaySettings.ts';

/** Wei a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
/** What the chain asks for now, and the timestamp of its newest block in Unix seconds. */
export type Market = { fees: Fees; timestamp: bigint };

const freshForMs = 1_000;
/** A replacement must offer at least 10 % more of both fees to be taken by common nodes. */
const replacementStep = { numerator: 1_125n, denominator: 1_000n };

/** Reads the market at most once a second, however many transactions are signed. */
export function createMarketReader(client: PublicClient, settings: RelaySettings): () => Promise<Market> {
  let cached: { market: Promise<Market>; until: number } | undefined;
  return () => {
    if (cached && performance.now() < cached.until) return cached.market;
    const market = readMarket(client, settings);
    const entry = { market, until: performance.now() + freshForMs };
    cached = entry;
    market.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return market;
  };
}

/**
 * Fees that replace a transaction signed with `previous`; the same ones where the cap leaves no room, which means to send the
 * same bytes again.
 */
export function raiseFees(previous: Fees, current: Fees, settings: RelaySettings): Fees {
  const maxFeePerGas = larger(step(previous.maxFeePerGas), current.maxFeePerGas);
  const maxPriorityFeePerGas = larger(step(previous.maxPriorityFeePerGas), current.maxPriorityFeePerGas);
  if (maxFeePerGas > settings.maxFeePerGas || maxPriorityFeePerGas > maxFeePerGas) return previous;
  return { maxFeePerGas, maxPriorityFeePerGas };
}

async function readMarket(client: PublicClient, settings: RelaySettings): Promise<Market> {
  const [block, tip] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  const wanted = (block.baseFeePerGas ?? 0n) * 2n + tip;
  const maxFeePerGas = wanted > settings.maxFeePerGas ? settings.maxFeePerGas : wanted;
  const maxPriorityFeePerGas = tip > maxFeePerGas ? maxFeePerGas : tip;
  return { fees: { maxFeePerGas, maxPriorityFeePerGas }, timestamp: block.timestamp };
}

function step(fee: bigint): bigint {
  const { numerator, denominator } = replacementStep;
  return (fee * numerator + denominator - 1n) / denominator + 1n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
