import { type Reason, RefusedError } from '../../platform/errors/serviceError.ts';
import { requireSendable } from './acceptPermit.ts';

/** Whether a permit would be sent once signed, by the current chain and wallets. */
export type Verdict = { readonly ok: boolean; readonly reason?: Reason; readonly message: string };

/**
 * Says in words what would prevent a call. Nobody can sign for the signer, so `call` is the permit's action
 * as a direct call by the signer.
 */
export function judge(call: Parameters<typeof requireSendable>[0]): Verdict {
  try {
    requireSendable(call);
    return { ok: true, message: 'If signed unchanged, the permit would be accepted and sent now.' };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return describeRefusal(error);
  }
}

export function describeRefusal({ reason, message }: RefusedError): Verdict {
  return { ok: false, reason, message };
}
