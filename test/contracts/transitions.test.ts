import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createAgreement,
  inputDef,
  rawSubmission,
  readState,
  submission,
  transition,
} from './support/agreement.ts';
import { startTestChain, type TestChain } from './support/chain.ts';
import { readEvents } from './support/events.ts';
import { encodePayload, id, textField } from './support/language.ts';
import { reason } from './support/reverts.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

describe('an accepted input', () => {
  it('moves the agreement and says so, with the payload as it was submitted', async () => {
    const agreement = await createAgreement(chain, { transitions: [transition('open', 'act', 'closed')] });
    const payload = encodePayload(textField('undeclared', 'é'));
    const { logs } = await chain.send(rawSubmission(agreement, 'act', payload));
    expect(readEvents(logs)).toEqual([
      ['InputAccepted', { fromState: id('open'), toState: id('closed'), inputId: id('act'), payload }],
    ]);
    expect(await readState(chain, agreement)).toBe(id('closed'));
  });

  it('may lead back to the state in which it was submitted', async () => {
    const agreement = await createAgreement(chain, { transitions: [transition('open', 'act', 'open')] });
    for (let round = 0; round < 2; round++) {
      const { logs } = await chain.send(submission(agreement, 'act'));
      expect(readEvents(logs)).toMatchObject([
        ['InputAccepted', { fromState: id('open'), toState: id('open') }],
      ]);
    }
    expect(await readState(chain, agreement)).toBe(id('open'));
  });

  it('takes the first transition that starts from the state with the input', async () => {
    const agreement = await createAgreement(chain, {
      inputDefs: [inputDef('act'), inputDef('other')],
      transitions: [
        transition('closed', 'act', 'wrong state'),
        transition('open', 'other', 'wrong input'),
        transition('open', 'act', 'first'),
        transition('open', 'act', 'second'),
      ],
    });
    await chain.send(submission(agreement, 'act'));
    expect(await readState(chain, agreement)).toBe(id('first'));
  });

  it('is refused in a state from which it leads nowhere, also when it led somewhere before', async () => {
    const agreement = await createAgreement(chain, {
      inputDefs: [inputDef('act'), inputDef('other')],
      transitions: [transition('open', 'act', 'closed')],
    });
    const refusal = reason('No valid transition');
    expect(await chain.findRevertData(submission(agreement, 'other'))).toBe(refusal);
    await chain.send(submission(agreement, 'act'));
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBe(refusal);
    expect(await readState(chain, agreement)).toBe(id('closed'));
  });

  it('needs a definition even when a transition names it', async () => {
    const agreement = await createAgreement(chain, { inputDefs: [] });
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBe(reason('Unknown inputId'));
  });
});

describe('ether', () => {
  it('cannot be sent to an agreement, with an input or without', async () => {
    const agreement = await createAgreement(chain);
    expect(await chain.findRevertData(submission(agreement, 'act'))).toBeNull();
    expect(await chain.findRevertData({ ...submission(agreement, 'act'), value: 1n })).toBe('0x');
    expect(await chain.findRevertData({ ...submission(agreement, 'act'), data: '0x', value: 1n })).toBe('0x');
  });
});
