import { useEffect } from 'preact/hooks';
import { readEvents } from './eventStream.ts';
import { queries } from './queries.ts';

/** Follows the feed while the console is open, and refreshes the data affected by an event. */
export function useLiveEvents(isAllowed: boolean): void {
  useEffect(() => {
    if (!isAllowed) return undefined;
    const stop = new AbortController();
    void readEvents({
      after: 'now',
      signal: stop.signal,
      onEvent({ data }) {
        void queries.invalidateQueries({ queryKey: ['agreements'] });
        void queries.invalidateQueries({ queryKey: ['agreement', data.agreementId] });
      },
    });
    return () => stop.abort();
  }, [isAllowed]);
}
