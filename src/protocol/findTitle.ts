import { JsonCursor } from './jsonCursor.ts';

/** A document's name for itself; undefined without one. */
export function findTitle(agreement: unknown): string | undefined {
  const { value } = new JsonCursor(agreement).at('metadata').at('name');
  return typeof value === 'string' && value !== '' ? value : undefined;
}
