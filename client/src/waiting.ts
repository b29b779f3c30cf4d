import type { AgreementsClient } from './agreementsClient.ts';
import { longestTimerMs, pause, planRetry } from './http/retry.ts';
import { metaOf } from './http/transport.ts';
import type { AgreementRecord, AgreementState, InputRecord } from './types.ts';

export type WaitOptions = {
  /** The longest wait in total. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** The pause between two polls. Default 500. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** The awaited result has not come in time. It may still come. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
}

/** The service accepted the input, but it failed on the way or on the chain. */
export class InputFailedError extends Error {
  override readonly name = 'InputFailedError';
  readonly input: InputRecord;
  /** Such as `permit_expired`; undefined if unknown. */
  readonly reason: string | undefined;

  constructor(input: InputRecord) {
    super(`The input ${input.inputId} failed: ${input.error?.message ?? 'unknown'}`);
    this.input = input;
    this.reason = input.error?.reason;
  }
}

/** The deployment can never happen any more. */
export class DeploymentFailedError extends Error {
  override readonly name = 'DeploymentFailedError';
  readonly agreement: AgreementRecord;
  readonly reason: string | undefined;

  constructor(agreement: AgreementRecord) {
    super(`The deployment failed: ${agreement.onChain.error?.message ?? 'unknown'}`);
    this.agreement = agreement;
    this.reason = agreement.onChain.error?.reason;
  }
}

/**
 * Waits until an agreement is in a state, or in a state that a function accepts.
 *
 * @throws WaitTimeoutError if that takes too long.
 *
 * @example
 * await waitForState(client, record.id, ({ acceptedInputs }) => acceptedInputs.length > 0);
 */
export function waitForState(
  client: AgreementsClient,
  id: string,
  wanted: string | ((state: AgreementState) => boolean),
  options: WaitOptions = {},
): Promise<AgreementState> {
  const isRight = typeof wanted === 'string' ? ({ state }: AgreementState) => state === wanted : wanted;
  const what = `the state${typeof wanted === 'string' ? ` ${wanted}` : ''} of ${id}`;
  return waitUntil(what, options, async (signal) => {
    const state = await client.agreements.getState(id, { signal });
    return isRight(state) ? state : undefined;
  });
}

/**
 * Waits until a submitted input is mined.
 *
 * @throws InputFailedError if it has failed.
 * @throws WaitTimeoutError if it takes too long.
 */
export function waitForInput(
  client: AgreementsClient,
  input: Pick<InputRecord, 'id' | 'agreementId' | 'inputId'>,
  options: WaitOptions = {},
): Promise<InputRecord> {
  // A read with the write's token is answered as soon as the input is mined.
  const consistency = metaOf(input)?.consistency;
  return waitUntil(`the input ${input.inputId} of ${input.agreementId}`, options, async (signal) => {
    const query = { inputId: input.inputId, limit: 100, sort: { createdAt: 'desc' } } as const;
    const call = { consistency, signal };
    for await (const found of client.agreements.listInputs(input.agreementId, query, call)) {
      if (found.id !== input.id) continue;
      if (found.status === 'FAILED') throw new InputFailedError(found);
      return found.status === 'MINED' ? found : undefined;
    }
    return undefined;
  });
}

/**
 * Waits until a Draft is deployed.
 *
 * @throws DeploymentFailedError if that can never happen any more.
 * @throws WaitTimeoutError if it takes too long.
 */
export function waitForDeployment(
  client: AgreementsClient,
  agreement: AgreementRecord,
  options: WaitOptions = {},
): Promise<AgreementRecord> {
  return waitUntil(`the deployment of ${agreement.id}`, options, async (signal, first) => {
    const record = first ? agreement : await client.agreements.get(agreement.id, { signal });
    if (record.onChain.error) throw new DeploymentFailedError(record);
    return record.status === 'Deployed' ? record : undefined;
  });
}

const defaultTimeoutMs = 120_000;
const defaultPollMs = 500;

async function waitUntil<Found>(
  what: string,
  { timeoutMs = defaultTimeoutMs, pollMs = defaultPollMs, signal }: WaitOptions,
  look: (signal: AbortSignal, first: boolean) => Promise<Found | undefined>,
): Promise<Found> {
  const time = AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
  const ending = signal ? AbortSignal.any([signal, time]) : time;
  let cause: unknown;
  for (let looks = 0; ; looks++) {
    let restMs = pollMs;
    try {
      const found = await look(ending, looks === 0);
      if (found !== undefined) return found;
    } catch (error) {
      // Temporary failures are waited out too, such as an index that is behind.
      const asked = planRetry(error, looks, Number.POSITIVE_INFINITY);
      if (!asked && (signal?.aborted || !time.aborted)) throw error;
      restMs = Math.max(asked ?? 0, pollMs);
      if (!time.aborted) cause = error;
    }
    await pause(restMs, ending).catch((error) => {
      if (signal?.aborted) throw error;
    });
    if (time.aborted) throw new WaitTimeoutError(`${what} has not come within ${timeoutMs} ms.`, { cause });
  }
}
