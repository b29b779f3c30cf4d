import { writeValue } from './timeline.tsx';

/** The name in the document, and the value. */
export type NamedValue = readonly [string, unknown];

/** Values with their names, complete because they are signed. Neither changes the order of the other, whatever the direction of its text. */
export function ReviewValues({ values }: { readonly values: readonly NamedValue[] }) {
  return (
    <>
      {values.map(([name, value], at) => (
        <div key={`${at} ${name}`}>
          <bdi class="soft">{name}</bdi>: <bdi>{writeValue(value, Number.POSITIVE_INFINITY)}</bdi>
        </div>
      ))}
    </>
  );
}
