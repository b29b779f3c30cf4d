import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { NotSigned } from '../parts/notSigned.tsx';

/** The values of variables, and the names of those that no signature covers. */
export type Filling = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly unsigned: ReadonlySet<string>;
};

type ValueProps = Filling & { readonly name: string };

/** A variable's value in a text, isolated from the direction of the surrounding text; the name of one without a value. */
export function Value({ name, values, unsigned }: ValueProps) {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) return <bdi class="blank">[{name}]</bdi>;
  return (
    <>
      <bdi title={name}>{showUnseen(String(value))}</bdi>
      {unsigned.has(name) && <NotSigned />}
    </>
  );
}
