import { parseAddress, type WireValues } from '../../protocol/index.ts';

/** The checksummed address that a variable holds; undefined if it holds none. */
export function heldAddress(values: WireValues, variable: string) {
  return Object.hasOwn(values, variable) ? parseAddress(values[variable]) : undefined;
}
