import type { DirectAnswer, DirectRequest } from '../endpoint/directCall.ts';

/** One request of an agent, as its tool, resource or prompt sees it. */
export type AgentCall = {
  readonly principalId: string;
  /**
   * Counts one more read.
   *
   * @throws RateLimitedError where nothing is left of the rate.
   */
  count(): Promise<void>;
  /**
   * Carries out an operation of the API in the name of the caller: by the checks of its route, and counted as a request to it.
   *
   * @throws ServiceError as the route would refuse it, RateLimitedError where nothing is left of the rate.
   */
  ask(operationId: string, request?: Omit<DirectRequest, 'caller' | 'requestId'>): Promise<DirectAnswer>;
  /** Whether the client can show a person an address to open. */
  readonly canShowUrls: boolean;
  /** What the client has brought back, in a request that an earlier answer asked for. */
  readonly resumed: { readonly state: string; readonly responses: unknown } | undefined;
};
