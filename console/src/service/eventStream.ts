import { AgreementsError } from '../../../client/src/index.ts';
import type { AgreementEvent } from '../../../client/src/types.ts';
import { service } from './client.ts';
import { mayPass } from './pauses.ts';
import { checkSession } from './queries.ts';
import { readBlocks } from './readBlocks.ts';
import { whileShown } from './whileShown.ts';

const restMs = 2_000;
/** Three heartbeats of the service. */
const silenceMs = 45_000;
/** Past events follow each other without such a pause. */
const quietMs = 1_000;

/** Whether the reader still reads past events, is at the end of the feed, or has no connection. */
export type Standing = 'behind' | 'live' | 'lost';

type Following = {
  /** A cursor, `now`, or nothing for the beginning of the feed. */
  readonly after: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgreementEvent) => void;
  readonly onStanding?: (standing: Standing) => void;
};

/**
 * Follows the feed until the signal ends it, each event once: after an interruption it continues from the last id. While
 * the page is hidden, it pauses.
 *
 * @throws ApiError for a permanent refusal, such as a missing permission.
 */
export async function readEvents({ after, signal, onEvent, onStanding }: Following): Promise<void> {
  let place = after;
  const readWhile = async (shown: AbortSignal) => {
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const awaitQuiet = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => onStanding?.('live'), quietMs);
    };
    try {
      const stream = await service.events.openStream(place === '' ? {} : { after: place }, { signal: shown });
      onStanding?.('behind');
      awaitQuiet();
      for await (const { id, data } of readBlocks(stream, silenceMs)) {
        awaitQuiet();
        if (id !== undefined) place = id;
        if (data !== undefined) onEvent(JSON.parse(data));
      }
    } catch (error) {
      if (shown.aborted) return;
      checkSession(error);
      if (!mayPass(error)) throw error;
      if (!(error instanceof AgreementsError) && !(error instanceof TypeError)) throw error;
    } finally {
      clearTimeout(quiet);
    }
    if (shown.aborted) return;
    onStanding?.('lost');
    await new Promise((resolve) => setTimeout(resolve, restMs));
  };
  while (!signal.aborted) await whileShown(signal, readWhile);
}
