import type { WebhookEvent } from '../../client/src/webhooks/verifyWebhook.ts';

/**
 * Processes an event, once for each event unless it fails or the receiver crashes meanwhile. Put slow work into a queue:
 * the service waits ten seconds for the answer.
 */
export function handleEvent(event: WebhookEvent): void {
  switch (event.type) {
    case 'agreement.transitioned': {
      const { agreementName, sequence, inputId, fromState, toState } = event.data;
      // A late event has a lower sequence than one before it. The current state is in GET
      // /v0/agreements/{id}.
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
