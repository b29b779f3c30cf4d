import { z } from 'zod';
import type { RpcCall } from './batchedRpc.ts';
import type { EndpointHealth } from './endpointHealth.ts';
import { OtherChainError } from './otherChainError.ts';
import { findNodeAnswer } from './unavailable.ts';

type Ask = (call: RpcCall) => Promise<unknown>;

const chainIdShape = z
  .string()
  .regex(/^0x[0-9a-f]{1,13}$/i)
  .transform(Number);
/** Of gateways that do not offer the method: their chain cannot be checked. */
const unknownMethodCodes = new Set([-32_601, -32_004]);

/**
 * An endpoint that is asked for its chain together with its first call, and with the first one after each failure: a URL
 * may lead to another node by then. While it says that it belongs to another chain, it is asked with each call, and no
 * call is answered. A node that does not say its chain is believed.
 *
 * @returns a function that throws OtherChainError, and what `ask` throws.
 */
export function createCheckedRpc(options: {
  chainId: number;
  host: string;
  health: EndpointHealth;
  ask: Ask;
}): Ask {
  const { chainId, host, health, ask } = options;
  /** Failures of the endpoint when it was last known to be of this chain; undefined if it is not known. */
  let failuresThen: number | undefined;
  let checking: Promise<number | undefined> | undefined;

  const check = async (): Promise<number | undefined> => {
    const failed = health.failures();
    const answered = await ask({ method: 'eth_chainId' }).then(
      (said) => chainIdShape.safeParse(said).data,
      (error) => (unknownMethodCodes.has(findNodeAnswer(error)?.code ?? 0) ? chainId : undefined),
    );
    if (answered === chainId) {
      failuresThen = failed;
      health.noteOwnChain();
    } else if (answered !== undefined) {
      failuresThen = undefined;
      health.noteOtherChain();
    }
    return answered;
  };
  const checkOnce = () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };

  return async (call) => {
    if (failuresThen === health.failures()) return ask(call);
    const [outcome, answered] = await Promise.all([settle(ask(call)), checkOnce()]);
    if (answered !== undefined && answered !== chainId)
      throw new OtherChainError({ host, chainId, answered });
    if ('error' in outcome) throw outcome.error;
    return outcome.answer;
  };
}

function settle(asked: Promise<unknown>): Promise<{ answer: unknown } | { error: unknown }> {
  return asked.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
}
