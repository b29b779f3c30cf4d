/** A document's name for itself; undefined without one. */
export function findTitle(agreement: { readonly metadata?: unknown }): string | undefined {
  const { metadata } = agreement;
  const name: unknown = metadata && typeof metadata === 'object' ? Reflect.get(metadata, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
