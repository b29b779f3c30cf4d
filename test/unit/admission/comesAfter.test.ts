import { zeroHash } from 'viem';
import { expect, test } from 'vitest';
import { comesAfter } from '../../../src/api/admission/comesAfter.ts';
import type { LocalFacts } from '../../../src/api/admission/createAdmission.ts';
import type { Simulation } from '../../../src/platform/nodes/simulateCall.ts';
import { encodeRevert, type Revert } from '../../../src/protocol/index.ts';

const found = { nonce: 0n, blockTimestamp: 1n, currentState: zeroHash };
const refuse = (revert: Revert): Simulation => ({ ok: false, data: encodeRevert(revert), message: '' });
const early = refuse({ name: 'Error', args: ['No valid transition'] });
const late = refuse({ name: 'Error', args: ['Unknown inputId'] });
const accepted: Simulation = { ok: true, gas: 1n };

const decide = (openCount: number, local: Simulation, node: Simulation) => {
  const ofIndex: LocalFacts = {
    ...found,
    minedNonce: 0n,
    simulation: local,
    isExternal: true,
    openCount,
    gas: undefined,
    gasKind: '',
    note: { by: 'local' },
  };
  return comesAfter(ofIndex, { ...found, simulation: node });
};

test('a node’s refusal counts as too early only if inputs are open and the index with them accepts it', () => {
  expect(decide(1, accepted, early)).toBe(true);
  expect(decide(0, accepted, early)).toBe(false);
  expect(decide(1, early, early)).toBe(false);
  expect(decide(1, accepted, late)).toBe(false);
  expect(decide(1, accepted, accepted)).toBe(false);
  expect(comesAfter(undefined, { ...found, simulation: early })).toBe(false);
});
