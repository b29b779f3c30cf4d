import { expect, test } from 'vitest';
import { at, type JsonObject, list, object, readObject, set, write } from '../../evidence/editJson.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { buildDepositedLease } from '../../evidence/handMade/depositedLease.ts';

/** A lease of this text up to the appointment, with every signature and without any proof. */
async function buildSigned(text: string): Promise<JsonObject> {
  const made = await buildDepositedLease({
    edit({ content }) {
      content.data = text;
    },
  });
  const file = readObject(made);
  for (const name of ['blocks', 'transactions', 'inputs']) list(file, name).pop();
  for (const block of list(file, 'blocks')) set(object(block), 'header', null);
  for (const transaction of list(file, 'transactions'))
    for (const proof of ['proof', 'receiptProof']) set(object(transaction), proof, null);
  const facts = at(file, 'agreement');
  Object.assign(facts, { currentState: facts.initialState ?? null, inputCount: 2 });
  return { ...file, state: null, notes: ['no_state_proof', 'no_inclusion_proof'] };
}

test('without blocks, signatures of steps fit any text for the same address, and the verifier says so', async () => {
  const files = [await buildSigned('The rent is 5.'), await buildSigned('The rent is 500.')];
  const [one, other] = files.map((file) => object(list(file, 'inputs')[1]).permit);
  expect(one).toEqual(other);
  for (const file of files) {
    const found = await findEvidence(write(file));
    expect(found).toMatchObject({ level: 'signed', acts: [{}, {}, { by: 'permit' }] });
    expect(found.trusted.join(' ')).toContain('names the address, not the text');
  }
});
