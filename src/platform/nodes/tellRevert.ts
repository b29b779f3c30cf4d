import { quote } from '../../protocol/quote.ts';
import type { RevertReason } from './decodeRevert.ts';

/** Long enough for an error with an address and two amounts. */
const longestText = 240;

/** Texts about a revert that `decodeRevert` writes itself. */
const ownWords =
  /^(?:The contract reverted (?:without a reason|with an unknown error, 0x[0-9a-f]{1,8})|A submitted value breaks a rule of the agreement)\.$/i;

/**
 * A revert as a sentence. Names and texts of errors are chosen by whoever wrote the called contract, or the document
 * that lists them: they come in quotes, as the words of the contract.
 */
export function tellRevert({ message }: Pick<RevertReason, 'message'>): string {
  return ownWords.test(message) ? message : `The contract says: ${quote(message, longestText)}.`;
}
