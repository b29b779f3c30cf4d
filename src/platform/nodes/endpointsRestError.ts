import { BaseError } from 'viem';

/** All endpoints of the chain rest now. */
export class EndpointsRestError extends BaseError {
  override readonly name = 'EndpointsRestError';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('All endpoints of the chain are rate limited or have used up their call budget.');
    this.waitMs = waitMs;
  }
}
