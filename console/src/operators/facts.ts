import { useQuery } from '@tanstack/preact-query';

type Position = { readonly blockNumber: number; readonly lagSeconds: number };

/** The shape of `/ready`. */
export type Readiness = {
  readonly status: 'ready' | 'unready';
  readonly checks: Readonly<Record<string, boolean>>;
  readonly reasons: readonly string[];
  /** What does not work although it is ready, such as a chain without a node. */
  readonly degraded: readonly string[];
  readonly endpoints: readonly {
    readonly chainId: number;
    readonly host: string;
    readonly status: string;
    readonly blockNumber: number | null;
    readonly behindBlocks: number | null;
    readonly restsForSeconds: number;
    readonly failuresInARow: number;
  }[];
  readonly chains: readonly {
    readonly chainId: number;
    readonly index: Position | null;
    readonly folded: Position | null;
    readonly rebuilding: object | null;
    readonly silentSince: string | null;
    readonly outbox: {
      readonly depth: number;
      readonly oldestAgeSeconds: number;
      readonly byState: Readonly<Record<string, number>>;
    };
    readonly wallets: readonly {
      readonly address: string;
      readonly status: string;
      readonly balanceWei: string;
      readonly nextNonce: number;
      readonly underWay: number;
    }[];
  }[];
};

export type EventFacts = {
  readonly released: number;
  readonly waiting: readonly {
    readonly status: 'pending' | 'retry_pending';
    readonly count: number;
    readonly oldestAgeSeconds: number;
  }[];
  readonly quarantined: readonly { readonly chainId: number; readonly count: number }[];
};

/** The oldest transactions that are not mined. */
export type WaitingTransaction = {
  readonly id: string;
  readonly chainId: number;
  readonly kind: 'deploy' | 'input';
  readonly state: string;
  readonly ageSeconds: number;
  readonly validForSeconds: number;
  readonly wallet: string | null;
  readonly walletNonce: number | null;
  readonly attempts: number;
  readonly lastError: string | null;
};

const lookMs = 2_000;

/** This port serves these pages and their data. @throws Error without an answer, or with another shape. */
async function read<Facts>(path: string, signal: AbortSignal): Promise<Facts> {
  const response = await fetch(path, { signal });
  // Not ready is 503, with the reasons.
  if (!response.ok && response.status !== 503) throw new Error(await response.text());
  return response.json();
}

export function useReadiness() {
  return useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => read<Readiness>('/ready', signal),
    refetchInterval: lookMs,
  });
}

export function useEventFacts() {
  return useQuery({
    queryKey: ['event facts'],
    queryFn: ({ signal }) => read<EventFacts>('/operations/events', signal),
    refetchInterval: lookMs,
  });
}

export function useWaitingTransactions() {
  return useQuery({
    queryKey: ['waiting transactions'],
    queryFn: ({ signal }) => read<readonly WaitingTransaction[]>('/operations/transactions', signal),
    refetchInterval: lookMs,
  });
}

export function useTrace(id: string) {
  return useQuery({
    queryKey: ['trace', id],
    enabled: id !== '',
    queryFn: async ({ signal }) => {
      const response = await fetch(`/operations/trace/${encodeURIComponent(id)}`, { signal });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    },
  });
}

/** The number of requests answered by this process, from its metrics. */
export async function readRequestCount(signal: AbortSignal): Promise<number> {
  const text = await (await fetch('/metrics', { signal })).text();
  return [...text.matchAll(/^http_request_duration_seconds_count\S* (\S+)/gm)].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}
