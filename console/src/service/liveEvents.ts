import { useEffect } from 'preact/hooks';
import type { AgreementEvent } from '../../../client/src/types.ts';
import { readEvents } from './eventStream.ts';
import { queries } from './queries.ts';

/** Live events for pages. */
const listeners = new Set<(event: AgreementEvent) => void>();

/** Follows the feed while the console is open, and refreshes the data affected by an event. */
export function useLiveEvents(isAllowed: boolean): void {
  useEffect(() => {
    if (!isAllowed) return undefined;
    const stop = new AbortController();
    void readEvents({
      after: 'now',
      signal: stop.signal,
      onEvent(event) {
        for (const tell of listeners) tell(event);
        void queries.invalidateQueries({ queryKey: ['agreements'] });
        void queries.invalidateQueries({ queryKey: ['agreement', event.data.agreementId] });
      },
    });
    return () => stop.abort();
  }, [isAllowed]);
}

/** Calls back for each event while the page is shown. */
export function useEvents(onEvent: (event: AgreementEvent) => void): void {
  useEffect(() => {
    listeners.add(onEvent);
    return () => void listeners.delete(onEvent);
  }, [onEvent]);
}
