import {
  type AbiParameter,
  type DecodeFunctionDataReturnType,
  decodeFunctionData,
  type Hex,
  toFunctionSelector,
} from 'viem';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { isBoundedEncoding } from './isBoundedEncoding.ts';

export type FactoryCall = DecodeFunctionDataReturnType<typeof agreementFactoryAbi>;

const inputsOf = new Map<string, readonly AbiParameter[]>(
  agreementFactoryAbi.flatMap((entry) =>
    entry.type === 'function' ? [[toFunctionSelector(entry), entry.inputs] as const] : [],
  ),
);

/**
 * Decodes call data of the factory. Undefined for data that are no call of it, and for those that hold much less than they
 * decode to: no encoder makes them, anybody may send them, and a few kilobytes could decode to gigabytes.
 */
export function decodeFactoryCall(data: Hex): FactoryCall | undefined {
  const selector = data.slice(0, 10);
  const inputs = inputsOf.get(selector);
  if (!inputs || !isBoundedEncoding(inputs, `0x${data.slice(selector.length)}`)) return undefined;
  try {
    return decodeFunctionData({ abi: agreementFactoryAbi, data });
  } catch {
    return undefined;
  }
}
