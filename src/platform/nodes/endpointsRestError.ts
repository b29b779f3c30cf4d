import { BaseError } from 'viem';

/** All endpoints of the chain rest now. */
export class EndpointsRestError extends BaseError {
  override readonly name = 'EndpointsRestError';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('All endpoints of the chain have asked for a rest, or have no calls left in their budget.');
    this.waitMs = waitMs;
  }
}
