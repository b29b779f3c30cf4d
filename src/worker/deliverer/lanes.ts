import type pg from 'pg';
import { leaveSeats, takeSeats } from './deliverySeats.ts';
import { createLane, isIdle, type Lane } from './lane.ts';

/** The subscriptions that a worker attends to under one lease. After the loss of that they are anybody's, and it begins anew. */
export type Lanes = {
  /** Notes that there may be something to attempt of a subscription. */
  want(id: string): void;
  /**
   * Leaves to others what has been idle, and makes this worker the one that attends to what is wanted and nobody else has. Returns
   * the lanes that are wanted and its own.
   */
  seat(workerId: string): Promise<Lane[]>;
  /** The deliveries being attempted. */
  listInFlight(): string[];
  /** Has the lanes grow older in which nothing is under way. */
  age(): void;
  /** Leaves everything to others. */
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
