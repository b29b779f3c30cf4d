/** The outcome of one HTTP request, or of a call in it. */
export type RequestOutcome = 'answered' | 'failed' | 'limited';

/**
 * ok: it is asked. failing: it is paused after several failures in a row. limited: it reported too many requests, and
 * is paused for as long as it asked. otherChain: it belongs to another chain than the configured one.
 */
export type EndpointStatus = 'ok' | 'failing' | 'limited' | 'otherChain';

export type EndpointHealth = {
  noteAnswer(): void;
  noteFailure(): void;
  /** `waitMs` is the pause that the endpoint asked for, if any. */
  noteLimit(waitMs: number | undefined): void;
  /** It answers for another chain: it is paused until it answers for its own. */
  noteOtherChain(): void;
  noteOwnChain(): void;
  status(): EndpointStatus;
  /** 0 if it is not paused. */
  restsForMs(): number;
  /** Whether a pause has ended and no request has been tried since: one request tries the node before others rely on it. */
  needsProbe(): boolean;
  failuresInARow(): number;
  /** Failed requests since the process started. */
  failures(): number;
  counts(): Readonly<Record<RequestOutcome, number>>;
};

/** One failure may be chance. */
const failuresToRest = 3;
const firstRestMs = 1_000;
const longestRestMs = 30_000;
/** The longest pause that is granted. */
const longestLimitMs = 120_000;

/** The health of an endpoint: a circuit breaker, and its rate-limit answers. */
export function createEndpointHealth(clock: () => number = () => performance.now()): EndpointHealth {
  const counts = { answered: 0, failed: 0, limited: 0 };
  let failures = 0;
  let limits = 0;
  let restsUntil = 0;
  let status: EndpointStatus = 'ok';

  const rest = (forMs: number, because: EndpointStatus) => {
    // Of concurrent requests, the one that asks for the longest rest counts.
    restsUntil = Math.max(restsUntil, clock() + forMs);
    status = because;
  };
  const isResting = () => restsUntil > clock();
  return {
    noteAnswer() {
      counts.answered++;
      failures = 0;
      // An answer that was already under way says nothing about a later limit.
      if (status === 'limited' && isResting()) return;
      if (status === 'otherChain') return;
      limits = 0;
      restsUntil = 0;
      status = 'ok';
    },
    noteFailure() {
      counts.failed++;
      failures++;
      if (failures < failuresToRest || isResting()) return;
      rest(backOff(failures - failuresToRest), 'failing');
    },
    noteLimit(waitMs) {
      counts.limited++;
      if (status === 'limited' && isResting() && waitMs === undefined) return;
      rest(Math.min(waitMs ?? backOff(limits), longestLimitMs), 'limited');
      limits++;
    },
    noteOtherChain: () => rest(longestRestMs, 'otherChain'),
    noteOwnChain() {
      if (status !== 'otherChain') return;
      restsUntil = 0;
      status = 'ok';
    },
    status: () => status,
    restsForMs: () => Math.max(0, restsUntil - clock()),
    needsProbe: () => status !== 'ok' && !isResting(),
    failuresInARow: () => failures,
    failures: () => counts.failed,
    counts: () => ({ ...counts }),
  };
}

function backOff(step: number): number {
  return Math.min(firstRestMs * 2 ** step, longestRestMs);
}
