import { useEffect } from 'preact/hooks';
import { readEvents } from './eventStream.ts';
import { gather } from './gather.ts';
import { queries } from './queries.ts';

/** Between two refreshes: a busy feed must not use up what the principal may read. */
const restMs = 1_500;

/** Follows the feed while the console is open, and refreshes the data affected by its events. */
export function useLiveEvents(isAllowed: boolean): void {
  useEffect(() => {
    if (!isAllowed) return undefined;
    const stop = new AbortController();
    const affected = gather<string>({
      restMs,
      async handOver(agreementIds) {
        const keys = [...new Set(agreementIds)].map((id) => ['agreement', id]);
        // It resolves once the lists are there, so that the next refresh does not abort this one.
        await Promise.all(
          [['agreements'], ...keys].map((queryKey) => queries.invalidateQueries({ queryKey })),
        );
      },
    });
    // Without the feed, pages are refreshed by their own polls.
    readEvents({
      after: 'now',
      signal: stop.signal,
      onEvent: ({ data }) => affected.add(data.agreementId),
    }).catch(() => undefined);
    return () => {
      stop.abort();
      affected.stop();
    };
  }, [isAllowed]);
}
