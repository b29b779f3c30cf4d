import { type Attack, long, post, times, withRequests } from './attack.ts';

function withRules(name: string, build: () => object[]): Attack {
  return withRequests(name, ({ recordId }) => [
    post(`/agreements/${recordId}/notifications/preview`, {
      transition: { inputId: 'go' },
      notificationTemplate: { rules: build() },
    }),
  ]);
}

export const rules: readonly Attack[] = [
  withRules('rules with intervals of nothing and of for ever', () =>
    times(100, (at) => ({
      id: `r${at}`,
      name: 'x',
      trigger: { type: 'temporal', checkInterval: ['PT0.000000001S', 'P99999999Y', '0s', '1ms'][at % 4] },
      recipients: ['a@example.org'],
      notification: { channel: 'email', subject: 'x', body: 'x' },
    })),
  ),
  withRules('rules whose text is references alone', () =>
    times(100, (at) => ({
      id: `r${at}`,
      name: 'x',
      trigger: { type: 'onTransition', inputs: ['go'] },
      recipients: ['a@example.org'],
      notification: {
        channel: 'external_webhook',
        subject: long(`\${variables.v1}`, 200),
        body: long(`\${x`, 1_000),
      },
    })),
  ),
  withRules('rules that repeat the largest values', () =>
    times(100, (at) => ({
      id: `r${at}`,
      name: 'x',
      trigger: { type: 'onTransition', inputs: ['go'] },
      recipients: ['*'],
      notification: {
        channel: 'external_webhook',
        subject: long(`\${variables.v1}`, 12),
        body: times(200, (each) => `\${variables.v${each % 128}}`).join(''),
      },
    })),
  ),
  withRules('recipients in every script', () => [
    {
      id: 'r',
      name: 'x',
      trigger: { type: 'onTransition', inputs: ['go'] },
      recipients: times(250, (at) => `${long('ü', 200)}${at}@example.org`),
      notification: { channel: 'email', subject: 'x', body: 'x' },
    },
  ]),
];
