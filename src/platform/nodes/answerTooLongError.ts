import { BaseError } from 'viem';

/** A node's answer about a block, or a transaction's receipt, exceeds the limit on answers; so would any other honest node's. */
export class AnswerTooLongError extends BaseError {
  override readonly name = 'AnswerTooLongError';

  constructor() {
    super('The answer of the node is too long.');
  }
}
