import { type Abi, type Hex, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import type { CalledPermit } from '../../protocol/evidence/evidenceCalls.ts';

/** What a permit allows: a deployment, or the input of that id. */
export type PermitSubject = 'deployment' | Hex;

export type PermitPlaces = {
  /** Those by that signer for that subject, in the order of the data. */
  list(signer: Hex, subject: PermitSubject): CalledPermit[];
};

/** A function that takes a permit. Indexes count the words after the selector. */
type Layout = {
  readonly selector: string;
  readonly words: number;
  readonly indexes: Readonly<Record<'signer' | 'deadline' | 'v' | 'r' | 's', number>>;
  /** Absent for deployments. */
  readonly inputId: number | undefined;
};
type Place = { readonly start: number; readonly layout: Layout };

const prefixDigits = 2;
const selectorDigits = 8;
const wordDigits = 64;
const layouts = {
  deployment: listLayouts(agreementFactoryAbi),
  input: listLayouts(agreementEngineAbi),
};
/** The most permits of one signer for one subject: otherwise data that repeat one permit would take unbounded time. */
const mostAlike = 64;

/**
 * Finds the permits in a transaction's call data: in the call itself, or inside a call to another contract that
 * contains calls in their signed form. It reads only the words at fixed positions, once, and decodes nothing else.
 *
 * @param call.isDirect whether the transaction calls the contract directly.
 */
export function findPermitPlaces({
  data,
  isDirect,
  kind,
}: {
  data: Hex;
  isDirect: boolean;
  kind: keyof typeof layouts;
}): PermitPlaces {
  const places = new Map<string, Place[]>();
  for (const layout of layouts[kind]) {
    for (const start of listStarts(data, layout, isDirect)) {
      const { indexes, inputId } = layout;
      const subject = inputId === undefined ? 'deployment' : wordAt(data, start, inputId);
      const key = `${wordAt(data, start, indexes.signer)} ${subject}`;
      const alike = places.get(key);
      if (!alike) places.set(key, [{ start, layout }]);
      else if (alike.length < mostAlike) alike.push({ start, layout });
    }
  }
  return {
    list(signer, subject) {
      const key = `${signer.slice(prefixDigits).padStart(wordDigits, '0')} ${subject.replace('0x', '')}`;
      return (places.get(key) ?? []).map(({ start, layout: { indexes } }) => {
        const read = (name: keyof Layout['indexes']): Hex => `0x${wordAt(data, start, indexes[name])}`;
        return {
          signer,
          deadline: BigInt(read('deadline')),
          v: Number(read('v')),
          r: read('r'),
          s: read('s'),
        };
      });
    },
  };
}

/** Where the words of calls begin, in characters. */
function* listStarts(data: Hex, { selector, words }: Layout, isDirect: boolean): Generator<number> {
  const last = data.length - selectorDigits - words * wordDigits;
  if (isDirect) {
    if (last >= prefixDigits && data.startsWith(selector, prefixDigits)) yield prefixDigits + selectorDigits;
    return;
  }
  for (let at = data.indexOf(selector); at !== -1 && at <= last; at = data.indexOf(selector, at + 1))
    if (at % 2 === 0) yield at + selectorDigits;
}

function wordAt(data: Hex, start: number, index: number): string {
  return data.slice(start + index * wordDigits, start + (index + 1) * wordDigits);
}

function listLayouts(abi: Abi): Layout[] {
  return abi.flatMap((item) => {
    if (item.type !== 'function' || !item.name.endsWith('WithPermit')) return [];
    // Each parameter has one word there: its value, or the offset of its data.
    const indexOf = (name: string) => item.inputs.findIndex((input) => input.name === name);
    const inputId = indexOf('inputId');
    return {
      selector: toFunctionSelector(item).slice(prefixDigits),
      words: item.inputs.length,
      indexes: {
        signer: indexOf('signer'),
        ...{ deadline: indexOf('deadline'), v: indexOf('v'), r: indexOf('r'), s: indexOf('s') },
      },
      inputId: inputId === -1 ? undefined : inputId,
    };
  });
}
