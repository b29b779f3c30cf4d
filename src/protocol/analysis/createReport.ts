import { type Moment, pathTo } from './exploreFlow.ts';

/** Something to know about a document. */
export type Finding = {
  /** Where in the document. */
  readonly path: string;
  readonly message?: string;
  readonly state?: string;
  readonly inputId?: string;
  readonly variable?: string;
  /** Whether it is so however one comes there. */
  readonly always?: boolean;
  /** Inputs, in order from the creation, that show it. */
  readonly example?: readonly string[];
};

/** Names of a document may be long and stand in many places. */
const maxCharacters = 150_000;

/** Keeps what is said of a document within bounds: findings and examples are left out when there is no more room for them. */
export type Report = {
  /** The finding as a list, with the example that leads to the moment and on by an input; empty without room. */
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
