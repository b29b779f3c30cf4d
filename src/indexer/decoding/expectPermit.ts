import { type Address, type Hex, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';

/** Of an input that was made with a permit. */
export type Permission = { permitSigner: Address; permitSubmitter: Address };

const selectors = agreementEngineAbi
  .filter((item) => item.type === 'function' && item.name === 'submitInputWithPermit')
  .map((item) => toFunctionSelector(item));
/** Of the first argument, which is an address: the last 20 bytes of its word. */
const [signerStart, signerEnd] = [2 + 2 * (4 + 12), 2 + 2 * (4 + 32)];

/**
 * What the event about the permit will say of the input that a transaction has just made: it comes after the input's own, and a row
 * that is right from the start is not written twice. Null where the transaction does not say it: where another contract has made
 * the call, or there is no permit.
 */
export function expectPermit(
  { from, to, input }: { from: Address; to: Address | null; input: Hex },
  engine: Address,
): Permission | null {
  if (to?.toLowerCase() !== engine.toLowerCase()) return null;
  if (!selectors.some((selector) => input.startsWith(selector)) || input.length < signerEnd) return null;
  return { permitSigner: `0x${input.slice(signerStart, signerEnd)}`, permitSubmitter: from };
}
