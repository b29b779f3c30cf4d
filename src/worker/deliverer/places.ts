import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';
import { type Counts, createCounts } from '../../platform/turns/counts.ts';
import { allotPlaces, type PlaceRequest } from './allotPlaces.ts';
import { type Lane, measureFree } from './lane.ts';

/** A host, and the principal whose attempts go there. */
export type Target = { readonly host: string; readonly principalId: string };

/** The places for the attempts of one worker. */
export type Places = {
  /** How many more attempts of a subscription may begin now. */
  measureRoom(lane: Lane): number;
  /** Shares out the free places. Returns how many each lane gets. */
  allot(requests: readonly (PlaceRequest & Target)[]): ReadonlyMap<Lane, number>;
  take(target: Target): void;
  free(target: Target): void;
};

/**
 * Counts attempts within the configured limits per subscription, host, principal and in total. A principal gets at
 * most half of a host's places, so that it cannot block a host that many principals use.
 */
export function createPlaces(settings: WebhookSettings): Places {
  const { perHost, perPrincipal, perWorker } = settings;
  const underWay = createCounts();
  let total = 0;
  let turn = 0;

  const count = (target: Target, change: 1 | -1) => {
    total += change;
    for (const name of namesOf(target)) underWay.add(name, change);
  };
  return {
    measureRoom(lane) {
      const rooms = [measureFree(lane, settings), perWorker - total];
      const { host, principalId } = lane;
      if (host !== undefined && principalId !== undefined) {
        const pair = pairOf({ host, principalId });
        rooms.push(perHost - underWay.of(host), perPrincipal - underWay.of(principalId));
        rooms.push(measureHalf(perHost) - underWay.of(pair));
      }
      return Math.min(...rooms);
    },
    allot(requests) {
      const worker = { taken: total, most: perWorker };
      const hosts = createPools(underWay, perHost);
      const principals = createPools(underWay, perPrincipal);
      const pairs = createPools(underWay, measureHalf(perHost));
      const queues = [...Map.groupBy(requests, pairOf)].flatMap(([pair, ofPair]) => {
        const [first] = ofPair;
        if (!first) return [];
        const pools = {
          host: hosts(first.host),
          principal: principals(first.principalId),
          pair: pairs(pair),
        };
        return [{ ...pools, requests: ofPair }];
      });
      return allotPlaces(queues, { worker, nextTurn: () => ++turn });
    },
    take: (target) => count(target, 1),
    free: (target) => count(target, -1),
  };
}

const pairOf = ({ host, principalId }: Target) => `${principalId} ${host}`;
const namesOf = (target: Target) => [target.host, target.principalId, pairOf(target)];
const measureHalf = (perHost: number) => Math.ceil(perHost / 2);

/** The pool of each name, created at its first use. */
function createPools(underWay: Counts, most: number) {
  const pools = new Map<string, { taken: number; readonly most: number }>();
  return (name: string) => {
    const pool = pools.get(name) ?? { taken: underWay.of(name), most };
    pools.set(name, pool);
    return pool;
  };
}
