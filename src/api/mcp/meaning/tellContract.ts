import { ChainUnavailableError } from '../../../platform/errors/serviceError.ts';
import { recordSimulationShape } from '../../shapes/simulationShapes.ts';
import type { AgentCall } from '../agentCall.ts';
import { checkedData } from '../checkedData.ts';
import { quoteName } from '../quotedData.ts';
import type { ActionCall } from './findCall.ts';

/** What an input does by the document: where it leads, and what it calls. */
export type Reading = { readonly leadsTo: string | undefined; readonly call: ActionCall | undefined };

/**
 * What the contract's own rules let an input do, if they are other rules than the document's, or if it does something else
 * than the document says. Says so if only its calls can be read. Undefined if that cannot be told, or if it would be refused.
 */
export async function tellContract(
  call: AgentCall,
  {
    reference,
    step,
    reading,
    isOther,
  }: {
    reference: { params: Record<string, string>; query: Record<string, string> };
    step: { inputId: string; values: unknown; by: string };
    reading: Reading;
    /** Whether its rules are known to be others than the document's. */
    isOther: boolean;
  },
): Promise<string | undefined> {
  const played = await play(call, { ...reference, body: { steps: [step] } });
  if (played === 'unknown') return 'CAUTION: the rules of the contract itself cannot be read at the moment.';
  const { step: outcome, rulesFrom } = played;
  if (outcome?.outcome !== 'accepted') return undefined;
  const { toState } = outcome;
  const called = outcome.external.filter(({ type }) => type === 'action');
  const isSame = toState === reading.leadsTo && called.length > 0 === (reading.call !== undefined);
  if (isSame && !isOther) return undefined;
  const calls =
    called.length > 0
      ? `calls the contract ${called.map(({ address }) => address).join(', ')}`
      : 'calls no other contract';
  const effect =
    rulesFrom === 'contract'
      ? `By its own rules the input leads to ${quoteName(toState)}, and ${calls}.`
      : `The input ${calls}. Where it leads is known only from the document, which says ${quoteName(toState)}.`;
  return `CAUTION: the contract does not do what the document says. ${effect}`;
}

async function play(call: AgentCall, request: Parameters<AgentCall['ask']>[1]) {
  try {
    const { data } = await call.ask('simulateRecord', request);
    const { steps, rulesFrom } = checkedData(recordSimulationShape, data);
    return { step: steps[0], rulesFrom };
  } catch (error) {
    if (error instanceof ChainUnavailableError) return 'unknown';
    throw error;
  }
}
