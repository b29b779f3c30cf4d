import type { Lane } from './lane.ts';

/** A lane, and the most places that it can use now. */
export type PlaceRequest = { readonly lane: Lane; readonly most: number };

/** Places of which some are taken. */
export type Pool = { taken: number; readonly most: number };

/** The requests of a principal's lanes to one host. A place counts in all of these pools. */
export type PlaceQueue = {
  readonly host: Pool;
  readonly principal: Pool;
  /** The principal's part of the host's places. */
  readonly pair: Pool;
  readonly requests: readonly PlaceRequest[];
};

/**
 * Shares out the free places of a worker one by one. The next place goes to the principal with the smallest share of
 * what is scarce, so that a backlog of others delays nobody: the host's places, and the worker's if it has too few. Of
 * equal ones, and of a principal's lanes, the one that waits longest is next. Takes the places from the pools.
 *
 * @param options.nextTurn counts the places that the worker gives out.
 * @returns how many places each lane gets.
 */
export function allotPlaces(
  queues: readonly PlaceQueue[],
  { worker, nextTurn }: { worker: Pool; nextTurn: () => number },
): ReadonlyMap<Lane, number> {
  const places = new Map<Lane, number>();
  const isScarce = countUsable(queues) > roomOf(worker);
  const shareOf = ({ host, principal, pair }: PlaceQueue) => {
    const ofHost = pair.taken / host.most;
    return isScarce ? Math.max(ofHost, principal.taken / worker.most) : ofHost;
  };
  let open = queues.map(openQueue);
  while (roomOf(worker) > 0) {
    open = open.filter(({ queue, waiting }) => waiting.length > 0 && roomOfQueue(queue) > 0);
    const next = leastOf(open, { first: ({ queue }) => shareOf(queue), second: ({ lastTurn }) => lastTurn });
    if (!next) break;
    const request = leastOf(next.waiting, {
      first: ({ lane }) => lane.inFlight.size + (places.get(lane) ?? 0),
      second: ({ lane }) => lane.lastTurn,
    });
    if (!request) break;
    const { lane, most } = request;
    const count = (places.get(lane) ?? 0) + 1;
    places.set(lane, count);
    if (count >= most) next.waiting.splice(next.waiting.indexOf(request), 1);
    lane.lastTurn = next.lastTurn = nextTurn();
    const { host, principal, pair } = next.queue;
    for (const pool of [worker, host, principal, pair]) pool.taken++;
  }
  return places;
}

const roomOf = ({ taken, most }: Pool) => Math.max(0, most - taken);
const roomOfQueue = ({ host, principal, pair }: PlaceQueue) =>
  Math.min(roomOf(host), roomOf(principal), roomOf(pair));

/** How many more places the queues could use if the worker had enough. */
function countUsable(queues: readonly PlaceQueue[]): number {
  const ofHosts = new Map<Pool, number>();
  for (const queue of queues) {
    const wanted = queue.requests.reduce((sum, { most }) => sum + most, 0);
    const used = (ofHosts.get(queue.host) ?? 0) + Math.min(wanted, roomOfQueue(queue));
    ofHosts.set(queue.host, Math.min(used, roomOf(queue.host)));
  }
  return [...ofHosts.values()].reduce((sum, used) => sum + used, 0);
}

function openQueue(queue: PlaceQueue) {
  const waiting = queue.requests.filter(({ most }) => most > 0);
  return { queue, waiting, lastTurn: Math.max(0, ...waiting.map(({ lane }) => lane.lastTurn)) };
}

/** The item with the smallest first key; among equal ones, the one with the smallest second key. */
function leastOf<Item>(
  items: readonly Item[],
  { first, second }: { first: (item: Item) => number; second: (item: Item) => number },
): Item | undefined {
  let least: Item | undefined;
  let leastFirst = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const key = first(item);
    if (key > leastFirst || (least && key === leastFirst && second(item) >= second(least))) continue;
    least = item;
    leastFirst = key;
  }
  return least;
}
