type ValueProps = { readonly name: string; readonly values: Readonly<Record<string, unknown>> };

/** A variable's value in a text, isolated from the direction of the surrounding text; the name of one without a value. */
export function Value({ name, values }: ValueProps) {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) return <bdi class="blank">[{name}]</bdi>;
  return <bdi title={name}>{String(value)}</bdi>;
}
