/** What became of one HTTP request, or of a call in it. */
export type RequestOutcome = 'answered' | 'failed' | 'limited';

/**
 * ok: it is asked; failing: it rests after failures in a row; limited: it has said that it is asked too much, and rests for as long
 * as it has said.
 */
export type EndpointStatus = 'ok' | 'failing' | 'limited';

export type EndpointHealth = {
  noteAnswer(): void;
  noteFailure(): void;
  /** `waitMs` as the endpoint asked for, where it did. */
  noteLimit(waitMs: number | undefined): void;
  status(): EndpointStatus;
  /** 0 where it does not rest. */
  restsForMs(): number;
  /** Whether a rest has ended and no request has been tried since: one request tries before others rely on the node. */
  needsProbe(): boolean;
  failuresInARow(): number;
  counts(): Readonly<Record<RequestOutcome, number>>;
};

/** One failure may be chance. */
const failuresToRest = 3;
const firstRestMs = 1_000;
const longestRestMs = 30_000;
/** Whoever asks for more is asked again after this. */
const longestLimitMs = 120_000;

/** The health of an endpoint: a circuit breaker, and its answers to too many requests. */
export function createEndpointHealth(clock: () => number = () => performance.now()): EndpointHealth {
  const counts = { answered: 0, failed: 0, limited: 0 };
  let failures = 0;
  let limits = 0;
  let restsUntil = 0;
  let status: EndpointStatus = 'ok';

  const rest = (forMs: number, because: EndpointStatus) => {
    // Of requests that were under way together, the one that asks for the longest rest counts.
    restsUntil = Math.max(restsUntil, clock() + forMs);
    status = because;
  };
  const isResting = () => restsUntil > clock();
  return {
    noteAnswer() {
      counts.answered++;
      failures = 0;
      // An answer that was under way says nothing of the limit that came meanwhile.
      if (status === 'limited' && isResting()) return;
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
    status: () => status,
    restsForMs: () => Math.max(0, restsUntil - clock()),
    needsProbe: () => status !== 'ok' && !isResting(),
    failuresInARow: () => failures,
    counts: () => ({ ...counts }),
  };
}

function backOff(step: number): number {
  return Math.min(firstRestMs * 2 ** step, longestRestMs);
}
