import type { WebhookEvent } from '../../client/src/webhooks/verifyWebhook.ts';

/** What is done about an event, once for each. Anything slow belongs behind a queue: the service waits ten seconds for the answer. */
export function handleEvent(event: WebhookEvent): void {
  switch (event.type) {
    case 'agreement.transitioned': {
      const { agreementName, sequence, inputId, fromState, toState } = event.data;
      // A late event has a lower sequence than one before it. What counts is GET /v0/agreements/{id}.
      console.log(`${agreementName} #${sequence}: ${inputId}, ${fromState || 'nothing'} → ${toState}`);
      return;
    }
    case 'agreement.notification.triggered': {
      const { agreementName, ruleId, notification } = event.data;
      console.log(`${agreementName}, ${ruleId}: ${notification.subject}`);
      return;
    }
    case 'webhook.test':
      console.log(`a test, ${event.id}`);
  }
}
