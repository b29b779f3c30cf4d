import type { DirectAnswer, DirectRequest } from '../endpoint/directCall.ts';

/** One request of an agent, for its tool, resource or prompt. */
export type AgentCall = {
  readonly principalId: string;
  /**
   * Counts one more read.
   *
   * @throws RateLimitedError if nothing is left of the rate.
   */
  count(): Promise<void>;
  /**
   * Runs an operation of the API for the caller: with its route's checks, and counted as a request to it.
   *
   * @throws ServiceError as the route would refuse it, RateLimitedError if nothing is left of the rate.
   */
  ask(
    operationId: string,
    request?: Omit<DirectRequest, 'caller' | 'check' | 'requestId'>,
  ): Promise<DirectAnswer>;
  /** Logs a defect of the service that the answer does not end with. */
  reportFailure(error: unknown): void;
  /** Whether the client can show a link to a person. */
  readonly canShowUrls: boolean;
  /** The client's reply to an earlier answer's request. */
  readonly resumed: { readonly state: string; readonly responses: unknown } | undefined;
};
