import type { Head } from './readHead.ts';

/** Costs each endpoint half a request a second of each process, and the freshest one a second one. */
export const usualIntervalMs = 2_000;

/** How far an endpoint has followed its chain. */
export type EndpointHeight = {
  /** The latest block that it has told and that is believed; undefined while there is none. */
  latest(): number | undefined;
  /** How many blocks it is behind the freshest endpoint of the chain; 0 where it is not lagging. */
  behindBlocks(): number;
  /** Whether it has not reached the block that another endpoint had one look before, or claims one that is not believed. */
  isLagging(): boolean;
  /**
   * Whether a head makes others late, or is the first one: then it is believed only together with the block before it. An endpoint
   * that is alone makes nobody late.
   */
  needsProof(head: Head): boolean;
  note(head: Head, seen: { atMs: number; isProven: boolean }): void;
};

type Sight = { head: Head; atMs: number };
type Seen = { current?: Sight; previous?: Sight; isDoubtful: boolean; behind: number };

/** The heights of the endpoints of one chain, each of which is compared with the others. */
export function createEndpointHeights(count: number, intervalMs = usualIntervalMs): EndpointHeight[] {
  const all: Seen[] = Array.from({ length: count }, () => ({ isDoubtful: false, behind: 0 }));
  const othersOf = (own: Seen) => all.filter((other) => other !== own);
  /** Nodes of one chain learn of a block at different moments: what another one had a look before is what this one must have. */
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
