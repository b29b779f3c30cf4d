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
/** How long an answer holds. A URL can lead to another node without a failed call between. */
const knownForMs = 30_000;

/**
 * An endpoint that is asked for its chain together with its first call, with the first one after each failure, and with one
 * every half a minute: a URL may lead to another node by then. While it belongs to another chain by what it said last, it is asked
 * with each call, and no call is answered. A node that has never said its chain is believed.
 *
 * @returns a function that throws OtherChainError, and what `ask` throws.
 */
export function createCheckedRpc(options: {
  chainId: number;
  host: string;
  health: EndpointHealth;
  ask: Ask;
  /** Called with another chain than its own that the endpoint names, once until it names yet another one. */
  onOtherChain?: ((answered: number) => void) | undefined;
  clock?: () => number;
}): Ask {
  const { chainId, host, health, ask, onOtherChain, clock = () => performance.now() } = options;
  /** When the endpoint last said that it is of this chain, and its failures by then; undefined if it is not known. */
  let known: { readonly atMs: number; readonly failures: number } | undefined;
  /** The chain that it named last; undefined if none. */
  let named: number | undefined;
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    const asked = { atMs: clock(), failures: health.failures() };
    const answered = await ask({ method: 'eth_chainId' }).then(
      (said) => chainIdShape.safeParse(said).data,
      (error) => (unknownMethodCodes.has(findNodeAnswer(error)?.code ?? 0) ? chainId : undefined),
    );
    if (answered === chainId) {
      known = asked;
      health.noteOwnChain();
    } else if (answered !== undefined) {
      known = undefined;
      health.noteOtherChain();
      if (answered !== named) onOtherChain?.(answered);
    }
    named = answered ?? named;
  };
  const isKnown = () =>
    known !== undefined && known.failures === health.failures() && clock() < known.atMs + knownForMs;
  const checkOnce = () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };

  return async (call) => {
    if (isKnown()) return ask(call);
    const [outcome] = await Promise.all([settle(ask(call)), checkOnce()]);
    if (named !== undefined && named !== chainId)
      throw new OtherChainError({ host, chainId, answered: named });
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
