import type { Logger } from 'pino';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { createCounts } from '../../platform/turns/counts.ts';
import { createOwnPlaces } from '../../platform/turns/ownPlaces.ts';

/** Limits how many files of one turn are sent at a time: each holds some transactions while its reader is slow. */
export type EvidenceWriters = {
  /** @throws RateLimitedError if too many files of this turn are open. */
  requireRoom(turn: string): void;
  /**
   * The file. Its first piece waits until earlier files of this turn are read. A reader that takes nothing for a
   * long time is cut off. While others of the turn wait, a slow reader is cut off too.
   *
   * @throws RateLimitedError if too many files of this turn are open.
   */
  open(pieces: AsyncIterable<string>, reader: EvidenceReader): ReadableStream<Uint8Array>;
};

export type EvidenceReader = {
  readonly turn: string;
  readonly requestId: string;
  /** Closes the connection at once. */
  disconnect(): void;
  /** Whether others of the turn wait elsewhere for what this file needs. */
  isInTheWay(): boolean;
  /** Called once the file is read, given up or cut off. */
  onEnd(): void;
};

export type WriterBounds = {
  /** A reader that takes nothing for this time is cut off. */
  readonly stallMs: number;
  /** After this time, a reader must have taken `leastPerSecond` bytes a second on average while others wait. */
  readonly patienceMs: number;
  readonly leastPerSecond: number;
  readonly checkMs: number;
};

const atOnce = 2;
const mostOpen = 10;
const retryAfterSeconds = 5;
const usualBounds: WriterBounds = {
  stallMs: 30_000,
  patienceMs: 10_000,
  leastPerSecond: 128 * 1024,
  checkMs: 1_000,
};

export function createEvidenceWriters(
  { logger }: { logger: Logger },
  bounds: WriterBounds = usualBounds,
): EvidenceWriters {
  const places = createOwnPlaces(atOnce);
  const open = createCounts();
  const requireRoom = (turn: string) => {
    if (open.of(turn) >= mostOpen)
      throw new RateLimitedError('Too many files of evidence are being read.', { retryAfterSeconds });
  };

  async function* admit(pieces: AsyncIterable<string>, turn: string, onTurn: () => void) {
    await places.enter(turn);
    try {
      onTurn();
      yield* pieces;
    } finally {
      places.leave(turn);
    }
  }

  return {
    requireRoom,
    open(pieces, { turn, requestId, disconnect, isInTheWay, onEnd }) {
      requireRoom(turn);
      open.add(turn, 1);
      let since: number | undefined;
      // Nothing is read yet, and perhaps nothing ever will be.
      let idleSince: number | undefined = performance.now();
      let taken = 0;
      let hasEnded = false;
      let isCancelled = false;
      const file = admit(pieces, turn, () => {
        since = performance.now();
      });
      const end = () => {
        if (hasEnded) return;
        hasEnded = true;
        clearInterval(watch);
        open.add(turn, -1);
        onEnd();
        // Frees its place, wherever the file stands.
        void file.return(undefined);
      };
      const isTooSlow = (now: number) => {
        if (idleSince !== undefined && now - idleSince > bounds.stallMs) return true;
        if (since === undefined || idleSince === undefined) return false;
        if (open.of(turn) <= atOnce && !isInTheWay()) return false;
        const seconds = (now - since) / 1_000;
        return now - since > bounds.patienceMs && taken / seconds < bounds.leastPerSecond;
      };
      const watch = setInterval(() => {
        if (!isTooSlow(performance.now())) return;
        end();
        disconnect();
      }, bounds.checkMs).unref();
      const encoder = new TextEncoder();
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            idleSince = undefined;
            try {
              const { value, done } = await file.next();
              if (isCancelled) return;
              if (done) {
                end();
                controller.close();
                return;
              }
              const bytes = encoder.encode(value);
              taken += bytes.byteLength;
              idleSince = performance.now();
              controller.enqueue(bytes);
            } catch (error) {
              end();
              if (isCancelled) return;
              // The reader sees a closed connection. An error passed to the stream would bypass our log.
              logger.warn({ requestId, err: error }, 'a file of evidence could not be written to its end');
              disconnect();
              controller.close();
            }
          },
          cancel() {
            isCancelled = true;
            end();
          },
        },
        { highWaterMark: 0 },
      );
    },
  };
}
