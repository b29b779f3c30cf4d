import { type BoundName, readBounds } from '../fieldRules.ts';
import type { Field } from '../fields.ts';

/** Why no value fits the fields of one name, and whether one of them is required. */
export type Contradiction = {
  readonly name: string;
  readonly path: string;
  readonly message: string;
  readonly isRequired: boolean;
};

/**
 * Fields that no value fits: bounds that exclude each other, and fields with the same name but different
 * types or bounds. The contract finds the same submitted value for all fields of one name.
 */
export function findContradictions(fields: readonly Field[]): Contradiction[] {
  const byName = Map.groupBy(fields, ({ name }) => name);
  return [...byName].flatMap(([name, sameName]) => {
    const [first, ...others] = sameName;
    if (first === undefined) return [];
    const isRequired = sameName.some(({ required }) => required);
    const other = others.find(({ fType }) => fType !== first.fType);
    if (other !== undefined) {
      const message = 'has the name of another field of the input with another type';
      return [{ name, path: other.place.path, message, isRequired }];
    }
    const message = describeExclusion(sameName);
    return message === undefined ? [] : [{ name, path: first.validation.path, message, isRequired }];
  });
}

const ranges = [
  ['min', 'max'],
  ['minLength', 'maxLength'],
] as const satisfies readonly (readonly [BoundName, BoundName])[];

function describeExclusion(fields: readonly Field[]): string | undefined {
  const bounds = fields.flatMap((field) => readBounds(field));
  for (const [lower, upper] of ranges) {
    const least = highest(bounds.filter(({ name }) => name === lower).map(({ limit }) => limit));
    const most = lowest(bounds.filter(({ name }) => name === upper).map(({ limit }) => limit));
    if (least !== undefined && most !== undefined && least > most)
      return `no value fits: ${lower} is ${least} and ${upper} is ${most}`;
  }
  return undefined;
}

function highest(limits: readonly bigint[]): bigint | undefined {
  return limits.toSorted((one, other) => (one < other ? 1 : -1))[0];
}

function lowest(limits: readonly bigint[]): bigint | undefined {
  return limits.toSorted((one, other) => (one < other ? -1 : 1))[0];
}
