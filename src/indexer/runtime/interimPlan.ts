import { z } from 'zod';
import type { Generations, Rebuild } from './chainRebuilds.ts';

/** How the indexer tells the process that it starts for the served index what to do. */
export const interimVariable = 'INTERIM_INDEX';

const planShape = z.object({
  schema: z.string(),
  generations: z.array(z.tuple([z.int(), z.int()])),
  givenUp: z.array(z.int()),
});

/** An index that is served while the one that takes its place is built. */
export type InterimPlan = {
  readonly schema: string;
  /** The generations in its schema name. */
  readonly generations: Generations;
  /** The chains that it no longer follows. */
  readonly givenUp: readonly number[];
};

/**
 * The settings with which the served index continues for the chains that were not given up. Undefined if it differs from the
 * new index in anything but those chains: then this code cannot continue it.
 */
export function planInterim(options: {
  served: string;
  rebuilds: readonly Rebuild[];
  nameSchema(generations: Generations): string;
}): InterimPlan | undefined {
  const { served, rebuilds, nameSchema } = options;
  for (const earlier of listEarlier(rebuilds)) {
    const generations = new Map(earlier.map(({ chainId, generation }) => [chainId, generation]));
    if (nameSchema(generations) !== served) continue;
    const givenUp = rebuilds.filter(({ chainId, generation }) => generations.get(chainId) !== generation);
    return { schema: served, generations, givenUp: givenUp.map(({ chainId }) => chainId) };
  }
  return undefined;
}

/** What the generations may have been before the rebuilds that are not done. */
function listEarlier([first, ...others]: readonly Rebuild[]): Rebuild[][] {
  if (!first) return [[]];
  const count = first.isDone ? 1 : first.generation + 1;
  const earlier = Array.from({ length: count }, (_, back) => ({
    ...first,
    generation: first.generation - back,
  }));
  return listEarlier(others).flatMap((rest) => earlier.map((one) => [one, ...rest]));
}

export function writeInterimPlan({ schema, generations, givenUp }: InterimPlan): string {
  return JSON.stringify({ schema, generations: [...generations], givenUp });
}

/** @throws Error if the text was not written by `writeInterimPlan`. */
export function readInterimPlan(text: string): InterimPlan {
  const { generations, ...plan } = planShape.parse(JSON.parse(text));
  return { ...plan, generations: new Map(generations) };
}
