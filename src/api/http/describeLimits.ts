import type { Limits } from '../config/limits.ts';

/** The limits that are in force, in words for the document of the API. */
export function describeLimits(limits: Limits): string {
  const { read, write } = limits.rates;
  const lines = [
    `A principal may read ${read.perSecond} times a second with bursts of ${read.burst}, and write (every method but GET and HEAD) ${write.perSecond} times with bursts of ${write.burst}; past that the answer is 429 with Retry-After, and every answer tells in RateLimit what is left`,
    `a body has at most ${limits.bodyBytes} bytes`,
    `an agreement at most ${limits.agreementBytes} bytes, a nesting of ${limits.agreementNesting}, and ${limits.agreementItems} states, inputs and transitions each`,
    `a deployment is awaited for up to ${limits.deployWaitMs / 1000} seconds, and the signing of an input for ${limits.signingWaitMs / 1000}`,
  ];
  return `Limits: ${lines.join('; ')}.`;
}

/** The same for programs, in the units of their names; without what concerns operators alone. */
export function listLimits(limits: Limits): Omit<Limits, 'trustedProxies' | 'rpcTimeoutMs'> {
  const { trustedProxies: _, rpcTimeoutMs: __, ...shown } = limits;
  return shown;
}
