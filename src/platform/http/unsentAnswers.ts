import type { Logger } from 'pino';

/** A connection, as far as its unsent bytes are concerned. */
export type SendingConnection = {
  /** Bytes that wait to be sent, with all of a piece that is partly sent. */
  readonly writableLength: number;
  /** Bytes sent, and those that wait. */
  readonly bytesWritten: number;
  readonly remoteAddress?: string | undefined;
  destroy(): unknown;
};

/** An answer under way; without a socket it waits behind another answer on the connection of its request. */
export type RunningAnswer = {
  readonly socket: unknown;
  readonly writableLength: number;
  readonly req: { readonly socket: SendingConnection };
};

export type UnsentBounds = {
  readonly lookMs: number;
  /** A connection that has taken nothing of its answer for so many looks is cut off. */
  readonly mostStalledLooks: number;
  /**
   * With more unsent bytes in all, connections that took nothing for some checks are closed, the largest first. With
   * more than twice as many bytes, slow readers are closed too, the slowest first. If one address holds more than half of all bytes, its
   * connections are closed before others, but after those that took nothing for some checks.
   */
  readonly mostBytes: number;
};

/** On a slow line a system may take a second to say that it has sent something. */
const soonStalledLooks = 8;

/** The largest page has some nine megabytes. */
export const usualUnsentBounds: UnsentBounds = {
  lookMs: 250,
  mostStalledLooks: 120,
  mostBytes: 64 * 1_048_576,
};

type Holding = {
  readonly connection: SendingConnection;
  readonly bytes: number;
  /** Bytes that the client took since the last look; undefined at the first one, which tells nothing about its speed. */
  readonly taken: number | undefined;
  readonly stalledLooks: number;
};
type Mark = { readonly sent: number; readonly stalledLooks: number };

/**
 * Bounds the memory for answers that their clients do not read. The returned function looks once at all
 * connections, and is to be called every `lookMs`. A stalled connection is counted by looks and not by time:
 * between two looks every client that reads has made progress, however busy the process is.
 */
export function createUnsentLook({
  connections,
  running,
  bounds: { mostStalledLooks, mostBytes },
  logger,
}: {
  connections: Iterable<SendingConnection>;
  running: Iterable<RunningAnswer>;
  bounds: UnsentBounds;
  logger: Pick<Logger, 'info'>;
}): () => void {
  const marks = new WeakMap<SendingConnection, Mark>();

  const findHolding = (): Holding[] => {
    const queued = sumQueued(running);
    return [...connections].flatMap((connection) => {
      const bytes = connection.writableLength + (queued.get(connection) ?? 0);
      const sent = countSent(connection);
      const last = marks.get(connection);
      const taken = last && sent - last.sent;
      const stalledLooks = last && bytes > 0 && taken === 0 ? last.stalledLooks + 1 : 0;
      marks.set(connection, { sent, stalledLooks });
      return bytes === 0 ? [] : [{ connection, bytes, taken, stalledLooks }];
    });
  };

  return () => {
    const holding = findHolding();
    let total = holding.reduce((sum, { bytes }) => sum + bytes, 0);
    const heaviest = findHeaviest(holding, total);
    const isOfOthers = ({ connection }: Holding) =>
      Number(heaviest === undefined || connection.remoteAddress !== heaviest);
    const isTaking = ({ stalledLooks }: Holding) => Number(stalledLooks < soonStalledLooks);
    for (const { connection, bytes, taken, stalledLooks } of holding.toSorted(
      (one, other) =>
        isTaking(one) - isTaking(other) ||
        isOfOthers(one) - isOfOthers(other) ||
        (one.taken ?? 0) - (other.taken ?? 0) ||
        other.bytes - one.bytes,
    )) {
      const isStuck = stalledLooks >= mostStalledLooks;
      const isInTheWay = total > mostBytes && stalledLooks >= soonStalledLooks;
      const isSlow = total > 2 * mostBytes && taken !== undefined;
      if (!isStuck && !isInTheWay && !isSlow) continue;
      logger.info({ bytes, total }, 'cut off a client that does not read its answer');
      connection.destroy();
      total -= bytes;
    }
  };
}

/** The address whose connections hold more than half of the bytes, if there is one. */
function findHeaviest(holding: readonly Holding[], total: number): string | undefined {
  const held = new Map<string, number>();
  for (const { connection, bytes } of holding) {
    const { remoteAddress } = connection;
    if (remoteAddress !== undefined) held.set(remoteAddress, (held.get(remoteAddress) ?? 0) + bytes);
  }
  return [...held].find(([, bytes]) => bytes > total / 2)?.[0];
}

/** The bytes of answers that wait behind others, by connection. */
function sumQueued(running: Iterable<RunningAnswer>): Map<SendingConnection, number> {
  const queued = new Map<SendingConnection, number>();
  for (const { socket, writableLength, req } of running)
    if (!socket) queued.set(req.socket, (queued.get(req.socket) ?? 0) + writableLength);
  return queued;
}

/**
 * The bytes that the client has taken of all its answers. A whole answer may be one piece, and only the handle knows how
 * much of a piece is left.
 */
function countSent(connection: SendingConnection): number {
  const handle: unknown = Reflect.get(connection, '_handle');
  const read = (name: string): unknown =>
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, name) : undefined;
  const [given, left] = [read('bytesWritten'), read('writeQueueSize')];
  return typeof given === 'number' && typeof left === 'number'
    ? given - left
    : connection.bytesWritten - connection.writableLength;
}
