import type { ChainConfiguration } from '../../platform/config/configuration.ts';
import type { Limits } from '../../platform/config/limits.ts';
import type { WebhookSettings } from '../../platform/config/webhookSettings.ts';

type LimitsInForce = {
  readonly limits: Limits;
  readonly webhookSettings: WebhookSettings;
  readonly chains: readonly Pick<ChainConfiguration, 'chainId' | 'name' | 'confirmations'>[];
};

/** The current limits, in words for the API's document. */
export function describeLimits({ limits, webhookSettings: webhooks, chains }: LimitsInForce): string {
  const { read, write } = limits.rates;
  const confirmations = chains.map(({ name, confirmations: count }) => `${count} on ${name}`);
  const lines = [
    `A principal may read ${read.perSecond} times a second with bursts of ${read.burst}, and write (every method but GET and HEAD) ${write.perSecond} times with bursts of ${write.burst}; past that the answer is 429 with Retry-After, and every answer tells in RateLimit what is left`,
    `a body has at most ${limits.bodyBytes} bytes and ${limits.bodyValues} values, of which no object has more than 4096`,
    `an agreement at most ${limits.agreementBytes} bytes, a nesting of ${limits.agreementNesting}, and ${limits.agreementItems} states, inputs and transitions each, ${limits.agreementVariables} variables, ${limits.inputFields} fields of an input and ${limits.agreementFields} of all, ${limits.agreementActions} actions, ${limits.agreementPatterns} patterns, and names of ${limits.nameBytes} bytes`,
    `an agreement has at most ${limits.parties} participants and as many observers, and ${limits.rules.rules} rules for ${limits.rules.notifications} recipients together`,
    `a value has at most ${limits.valueBytes} bytes, and all of a request ${limits.allValuesBytes}`,
    'of what is wrong with a request, and of warnings, the first 100 are listed',
    `a deployment is awaited for up to ${limits.deployWaitMs / 1000} seconds, and the signing of an input for ${limits.signingWaitMs / 1000}`,
    `a principal has at most ${webhooks.subscriptions} active webhooks, with URLs of at most ${webhooks.urlLength} characters`,
    `a webhook is attempted up to ${webhooks.attempts} times, each for up to ${webhooks.timeoutMs / 1000} seconds, after pauses that double from ${webhooks.backoffMs / 1000} seconds up to ${webhooks.longestBackoffMs / 1000}, and of an answer ${webhooks.responseBytes} bytes are read`,
    `an event is released to webhooks and to the feed once its block has its confirmations, the block itself counted: ${confirmations.join(', ')}`,
  ];
  return `Limits: ${lines.join('; ')}.`;
}

/** The same for programs, in the units of their names; without limits that concern only operators. */
export function listLimits({ limits, webhookSettings, chains }: LimitsInForce) {
  const { trustedProxies: _, rpcTimeoutMs: __, ...shown } = limits;
  const { subscriptions, urlLength, attempts, backoffMs, longestBackoffMs, timeoutMs, responseBytes } =
    webhookSettings;
  return {
    ...shown,
    webhooks: {
      subscriptions,
      urlLength,
      attempts,
      backoffMs,
      longestBackoffMs,
      timeoutMs,
      responseBytes,
      /** By the chain's id. */
      confirmations: Object.fromEntries(chains.map(({ chainId, confirmations }) => [chainId, confirmations])),
    },
  };
}
