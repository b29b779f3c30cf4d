import { BaseError } from 'viem';

export class EndpointsRestError extends BaseError {
  override readonly name = 'EndpointsRestError';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('All endpoints of the chain are rate limited or have used up their call budget.');
    this.waitMs = waitMs;
  }
}
