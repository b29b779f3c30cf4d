import { writeEnvelope } from '../../records/events/envelope.ts';
import type { NewEvent } from '../../records/events/newEvent.ts';
import type { TransitionFact } from '../../records/events/transitionFact.ts';

/** The `agreement.transitioned` events of these transitions. */
export function buildTransitionEvents(facts: readonly TransitionFact[], createdAt: Date): NewEvent[] {
  return facts.map((fact) => {
    const { record, eventId: id, fromState, toState, inputId, sequence } = fact;
    const { id: agreementId, displayName: agreementName, templateId } = record;
    const type = 'agreement.transitioned';
    const data = { agreementId, agreementName, templateId, fromState, toState, inputId, sequence };
    return {
      id,
      principalId: record.principalId,
      recordId: agreementId,
      type,
      body: writeEnvelope({ id, type, createdAt, data }),
      chainId: record.chainId,
      blockNumber: fact.blockNumber,
      txHash: fact.txHash,
      blockOrder: fact.blockOrder,
    };
  });
}
