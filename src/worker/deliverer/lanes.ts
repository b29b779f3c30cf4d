import type pg from 'pg';
import { leaveSeats, takeSeats } from './deliverySeats.ts';
import { createLane, isIdle, type Lane } from './lane.ts';

/** The subscriptions that a worker serves under one lease. If the lease is lost, all of them are free again. */
export type Lanes = {
  /** Notes that a subscription may have deliveries to attempt. */
  want(id: string): void;
  /**
   * Gives up idle subscriptions, and takes wanted ones that no other worker has. Returns the lanes that are
   * wanted and its own.
   */
  seat(workerId: string): Promise<Lane[]>;
  listInFlight(): string[];
  /** Counts idle lanes as older. */
  age(): void;
  /** Gives up everything. */
  leave(workerId: string): Promise<void>;
};

export function createLanes(pool: pg.Pool): Lanes {
  const lanes = new Map<string, Lane>();

  const leaveIdle = async (workerId: string) => {
    const left = [...lanes.values()].filter(isIdle).map(({ id }) => id);
    for (const id of left) lanes.delete(id);
    if (left.length > 0) await leaveSeats(pool, workerId, left);
  };
  const takeWanted = async (workerId: string) => {
    const unseated = [...lanes.values()].filter(({ isWanted, isSeated }) => isWanted && !isSeated);
    if (unseated.length === 0) return;
    const ids = unseated.map(({ id }) => id);
    const taken = new Set(await takeSeats(pool, workerId, ids));
    for (const lane of unseated) {
      lane.isSeated = taken.has(lane.id);
      if (!lane.isSeated) lanes.delete(lane.id);
    }
  };

  return {
    want(id) {
      const lane = lanes.get(id) ?? createLane(id);
      lane.isWanted = true;
      lanes.set(id, lane);
    },
    async seat(workerId) {
      await leaveIdle(workerId);
      await takeWanted(workerId);
      return [...lanes.values()].filter(({ isWanted, isSeated }) => isWanted && isSeated);
    },
    listInFlight: () => [...lanes.values()].flatMap(({ inFlight }) => [...inFlight.keys()]),
    age() {
      for (const lane of lanes.values()) if (lane.inFlight.size === 0) lane.idleLooks++;
    },
    leave: (workerId) => leaveSeats(pool, workerId, [...lanes.keys()]),
  };
}
