import type { Hex } from 'viem';

type Parameter = { readonly type: string; readonly components?: readonly Parameter[] };

/** Hexadecimal digits. */
const wordDigits = 64;
const wordBytes = 32;

/**
 * Whether ABI-encoded values are at most about twice as large as the data. No encoder makes larger ones: only values that share
 * bytes are, and a few kilobytes could decode to gigabytes. False too for pointers out of the data, and for types that are none.
 */
export function isBoundedEncoding(parameters: readonly Parameter[], data: Hex): boolean {
  // A value that is shared adds its pointer, and takes its words once more.
  let left = 2 * Math.ceil((data.length - 2) / wordDigits);
  const spend = (words: number) => {
    left -= words;
    if (!(left >= 0)) throw new RangeError('the values are larger than the data');
  };
  const readWord = (at: number): number => {
    spend(1);
    const start = 2 + 2 * at;
    const digits = data.slice(start, start + wordDigits);
    if (digits.length < wordDigits) throw new RangeError('the data are too short');
    return Number(`0x${digits}`);
  };
  /** Returns how many bytes a value takes where it stands; its pointers count from `base`. */
  const read = (parameter: Parameter, at: number, base: number): number => {
    const { type, components = [] } = parameter;
    if (type === 'string' || type === 'bytes') {
      spend(Math.ceil(readWord(base + readWord(at)) / wordBytes));
      return wordBytes;
    }
    const array = findArray(parameter);
    if (!array && type !== 'tuple') {
      if (!isWordType.test(type)) throw new TypeError('no such type');
      spend(1);
      return wordBytes;
    }
    const isElsewhere = isDynamic(parameter);
    let start = isElsewhere ? base + readWord(at) : at;
    const length = array?.length ?? (array ? readWord(start) : components.length);
    if (array && array.length === undefined) start += wordBytes;
    let used = 0;
    for (let place = 0; place < length; place++) {
      const item = array ? array.item : components[place];
      const size = item ? read(item, start + used, start) : 0;
      if (size === 0) spend(1);
      used += size;
    }
    return isElsewhere ? wordBytes : used;
  };
  try {
    let used = 0;
    for (const parameter of parameters) used += read(parameter, used, 0);
    return true;
  } catch {
    // A badly written type too.
    return false;
  }
}

/** Other types that begin in the same way, such as `bytes4000`, decode to more than a word. */
const isWordType = /^(address|bool|function|bytes([1-9]|[12]\d|3[012])|u?int\d{0,3})$/;

type ArrayType = { readonly item: Parameter; readonly length: number | undefined };

function findArray(parameter: Parameter): ArrayType | undefined {
  const [, type, length] = /^(.*)\[(\d*)\]$/.exec(parameter.type) ?? [];
  if (type === undefined) return undefined;
  return { item: { ...parameter, type }, length: length ? Number(length) : undefined };
}

function isDynamic(parameter: Parameter): boolean {
  const { type, components = [] } = parameter;
  if (type === 'string' || type === 'bytes' || type.endsWith('[]')) return true;
  if (type === 'tuple') return components.some(isDynamic);
  const array = findArray(parameter);
  return array !== undefined && isDynamic(array.item);
}
