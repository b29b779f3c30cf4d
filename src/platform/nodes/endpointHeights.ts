import type { Head } from './readHead.ts';

/** Costs each process half a request a second per endpoint, and one more a second for the freshest endpoint. */
export const usualIntervalMs = 2_000;

/** How far an endpoint has followed its chain. */
export type EndpointHeight = {
  /** The latest block that it reported and that is believed; undefined while there is none. */
  latest(): number | undefined;
  /** Blocks behind the freshest endpoint of the chain; 0 if it is not lagging. */
  behindBlocks(): number;
  /**
   * Whether it lacks the block that another endpoint had one poll earlier, or claims a head that is not
   * believed.
   */
  isLagging(): boolean;
  /**
   * Whether a head makes others late, or is the first one. Such a head is believed only together with the
   * block before it. A single endpoint makes nobody late.
   */
  needsProof(head: Head): boolean;
  note(head: Head, seen: { atMs: number; isProven: boolean }): void;
};

type Sight = { head: Head; atMs: number };
type Seen = { current?: Sight; previous?: Sight; isDoubtful: boolean; behind: number };

/** The heights of one chain's endpoints, compared with each other. */
export function createEndpointHeights(count: number, intervalMs = usualIntervalMs): EndpointHeight[] {
  const all: Seen[] = Array.from({ length: count }, () => ({ isDoubtful: false, behind: 0 }));
  const othersOf = (own: Seen) => all.filter((other) => other !== own);
  /**
   * Nodes of one chain learn of a block at different moments. A node must have the block that another node
   * had one poll earlier.
   */
  const mustHave = (own: Seen, nowMs: number) =>
    Math.max(
      -1,
      ...othersOf(own).flatMap(({ current, previous }) => {
        const settled = current && nowMs - current.atMs >= intervalMs ? current : previous;
        return settled ? [settled.head.number] : [];
      }),
    );
  return all.map((own) => ({
    latest: () => own.current?.head.number,
    behindBlocks: () => own.behind,
    isLagging: () => own.isDoubtful || own.behind > 0,
    needsProof: ({ number }) =>
      othersOf(own).every(({ current }) => (current?.head.number ?? -1) < number) && count > 1,
    note(head, { atMs, isProven }) {
      own.isDoubtful = !isProven;
      if (own.isDoubtful) return;
      if (own.current) own.previous = own.current;
      own.current = { head, atMs };
      const highest = Math.max(...all.map(({ current }) => current?.head.number ?? -1));
      own.behind = head.number < mustHave(own, atMs) ? highest - head.number : 0;
    },
  }));
}
