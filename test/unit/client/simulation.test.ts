import { readFileSync } from 'node:fs';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createSimulation } from '../../../client/src/simulate/createSimulation.ts';

const file = new URL('../../../examples/agreements/mural-commission.json', import.meta.url);
const agreement = JSON.parse(readFileSync(file, 'utf8'));
const [patron, artist] = ['11', '22'].map((byte) => privateKeyToAddress(`0x${byte.repeat(32)}`));

function start() {
  return createSimulation({
    agreement,
    initValues: { wall: 'East wall', wallSquareMetres: '84' },
    participants: [
      { variableKey: 'patron', walletAddress: patron ?? '' },
      { variableKey: 'artist', walletAddress: artist ?? '' },
    ],
  });
}

const accept = { inputId: 'acceptCommission', values: { artistSignature: 'M. Tamm' } };

test('a simulation follows the document, for allowed senders', () => {
  const simulation = start();
  expect(simulation.accepted().map(({ inputId }) => inputId)).toEqual(['acceptCommission', 'stepBack']);
  expect(simulation.play({ ...accept, by: 'artist' })).toEqual({
    ok: true,
    fromState: 'OFFERED',
    toState: 'SKETCHING',
    external: { verifiers: 0, call: false },
  });
  expect(simulation.state).toBe('SKETCHING');
});

test('a refused input changes nothing, and says why', () => {
  const simulation = start();
  expect(simulation.play({ ...accept, by: patron ?? '' })).toMatchObject({
    ok: false,
    reason: 'reverted',
    revert: { name: 'SenderAddressMismatch' },
  });
  expect(simulation.play({ inputId: 'acceptCommission', by: 'artist' })).toMatchObject({
    ok: false,
    reason: 'schema_mismatch',
    issues: [{ path: 'values.artistSignature', message: 'is missing' }],
  });
  expect(simulation.play({ inputId: 'dance', by: 'artist' })).toMatchObject({ reason: 'unknown_input' });
  expect(simulation.play({ inputId: 'takeOver', by: 'patron' })).toMatchObject({ reason: 'reverted' });
  expect(simulation.state).toBe('OFFERED');
  expect(() => simulation.play({ ...accept, by: 'nobody' })).toThrow(TypeError);
});

test('an input may have a name that looks like an id', () => {
  const name = `0x${'ab'.repeat(32)}`;
  const simulation = createSimulation({
    agreement: {
      metadata: { templateId: 'did:template:odd' },
      execution: {
        initialize: { initialState: 'OPEN' },
        states: { OPEN: {}, SHUT: {} },
        inputs: { [name]: {} },
        transitions: [{ from: 'OPEN', to: 'SHUT', conditions: [{ input: name }] }],
      },
    },
  });
  expect(simulation.play({ inputId: name, by: patron ?? '' })).toMatchObject({ ok: true, toState: 'SHUT' });
});
