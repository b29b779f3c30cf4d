import { type Address, type Hex, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';

/** The permit of an input. */
export type Permission = { permitSigner: Address; permitSubmitter: Address };

const selectors = agreementEngineAbi
  .filter((item) => item.type === 'function' && item.name === 'submitInputWithPermit')
  .map((item) => toFunctionSelector(item));
/** For the first argument, an address: the last 20 bytes of its word. */
const [signerStart, signerEnd] = [2 + 2 * (4 + 12), 2 + 2 * (4 + 32)];

/**
 * Predicts the permit event of an input that a transaction has just made. That event follows the input's own;
 * a row that is right at once is not written twice. Null if the transaction does not show it: another
 * contract made the call, or there is no permit.
 */
export function expectPermit(
  { from, to, input }: { from: Address; to: Address | null; input: Hex },
  engine: Address,
): Permission | null {
  if (to?.toLowerCase() !== engine.toLowerCase()) return null;
  if (!selectors.some((selector) => input.startsWith(selector)) || input.length < signerEnd) return null;
  return { permitSigner: `0x${input.slice(signerStart, signerEnd)}`, permitSubmitter: from };
}
