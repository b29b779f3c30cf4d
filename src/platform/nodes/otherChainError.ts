import { BaseError } from 'viem';

/** The endpoint answers for another chain than the configured one: nothing that it says counts. */
export class OtherChainError extends BaseError {
  override readonly name = 'OtherChainError';

  constructor({ host, chainId, answered }: { host: string; chainId: number; answered: number }) {
    super(`The node ${host} belongs to chain ${answered}, not to chain ${chainId}.`);
  }
}
