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
    `Reads (GET and HEAD): ${read.perSecond} a second for each principal, with bursts of ${read.burst}.`,
    `Writes (all other methods): ${write.perSecond} a second for each principal, with bursts of ${write.burst}.`,
    'Guests of a principal, by links or wallets: the same rates each, and twice these rates together.',
    'Above these rates the response is 429 with `Retry-After`. Every response says in `RateLimit` how many requests remain.',
    `Request body: ${limits.bodyBytes} bytes, ${limits.bodyValues} values, 4096 members in one object.`,
    `Agreement: ${limits.agreementBytes} bytes, ${limits.agreementNesting} levels of nesting, names of ${limits.nameBytes} bytes.`,
    `Agreement: ${limits.agreementItems} each of states, inputs and transitions, ${limits.agreementVariables} variables, ${limits.agreementActions} actions, ${limits.agreementPatterns} patterns.`,
    `Agreement: ${limits.inputFields} fields in one input, ${limits.agreementFields} fields in all inputs.`,
    `Parties: ${limits.parties} participants and ${limits.parties} observers.`,
    `Notification rules: ${limits.rules.rules} rules, ${limits.rules.notifications} recipients in all rules together.`,
    `Values: ${limits.valueBytes} bytes for one value, ${limits.allValuesBytes} bytes for all values of a request.`,
    `Evidence: agreements with up to ${limits.evidenceInputs} inputs, files of up to ${limits.evidenceBytes} bytes.`,
    'Issues and warnings: a response lists the first 100.',
    `Waiting: a deployment response waits up to ${limits.deployWaitMs / 1000} seconds for the chain. An input response waits up to ${limits.signingWaitMs / 1000} seconds for the transaction to be signed.`,
    `Webhooks: ${webhooks.subscriptions} active webhooks for each principal, URLs of ${webhooks.urlLength} characters.`,
    `Webhook attempts: ${webhooks.attempts} attempts of up to ${webhooks.timeoutMs / 1000} seconds each. The pause between attempts starts at ${webhooks.backoffMs / 1000} seconds and doubles up to ${webhooks.longestBackoffMs / 1000} seconds. The first ${webhooks.responseBytes} bytes of a response are read.`,
    `Confirmations before an event is released to webhooks and the feed: ${confirmations.join(', ')}. The block of the event counts as the first.`,
  ];
  return `Limits in force:\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

/** The current limits for programs, in the units of their names; without limits that concern only operators. */
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
