import { type Moment, pathTo } from './exploreFlow.ts';

/** A finding about a document. */
export type Finding = {
  readonly path: string;
  readonly message?: string;
  readonly state?: string;
  readonly inputId?: string;
  readonly variable?: string;
  /** Whether it holds however the moment was reached. */
  readonly always?: boolean;
  /** An example: inputs in order from the creation. */
  readonly example?: readonly string[];
};

/** A document's names may be long and occur in many places. */
const maxCharacters = 150_000;

/** Bounds the report: findings and examples are left out when there is no more room. */
export type Report = {
  /**
   * The finding as a list, with the example that leads to the moment and continues with an input; empty
   * without room.
   */
  add(finding: Finding, moment?: Moment, input?: string): Finding[];
  /** Whether something was left out. */
  isShortened(): boolean;
};

export function createReport(): Report {
  const used = { findings: 0, examples: 0 };
  let isShortened = false;

  const hasRoom = (kind: keyof typeof used, size: number) => {
    const fits = used[kind] + size <= maxCharacters;
    if (fits) used[kind] += size;
    isShortened ||= !fits;
    return fits;
  };

  return {
    add(finding, moment, input) {
      if (!hasRoom('findings', JSON.stringify(finding).length)) return [];
      if (moment === undefined) return [finding];
      const example = [...pathTo(moment), ...(input === undefined ? [] : [input])];
      const size = example.reduce((sum, name) => sum + name.length + 3, 0);
      return [hasRoom('examples', size) ? { ...finding, example } : finding];
    },
    isShortened: () => isShortened,
  };
}
