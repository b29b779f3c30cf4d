import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem';
import { expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import type { Standing } from '../../../src/api/admission/readStanding.ts';
import { buildStandingEngine } from '../../../src/api/admission/standingEngine.ts';
import { createEngine, encodeDataFields, nameHash } from '../../../src/protocol/index.ts';

const signer: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const open = nameHash('open');
const closed = nameHash('closed');
const close = nameHash('close');
const engine = createEngine({
  initialState: open,
  inputDefs: [{ id: close, fields: [], conditions: [], verifierKeys: [] }],
  transitions: [{ fromState: open, toState: closed, inputId: close }],
  initVars: [],
  verifiers: [],
  actions: [],
});
const rules = { engine, transactionHash: zeroHash, definitionHash: zeroHash, storing: new Map() };
const deadline = 1_000n;

/** The state after an open input that closes the agreement, at the second that is expected of the next block. */
function stateAfter({ isWaiting, time }: { isWaiting: boolean; time: bigint }): Hex | undefined {
  const callData = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [signer, close, encodeDataFields([]), deadline, 27, zeroHash, zeroHash],
  });
  const standing: Standing = {
    transactionHash: zeroHash,
    state: open,
    position: 0,
    blockNumber: '1',
    blockHash: zeroHash,
    headTimestamp: Number(time),
    storing: [],
    isStoringWhole: true,
    nonces: new Map(),
    open: [{ id: 'txn_1', signer, nonce: 0n, callData, isWaiting }],
    gasBound: undefined,
  };
  return buildStandingEngine(rules, standing, time)?.state;
}

test('an open input counts up to its deadline, and after it only if its bytes are already on their way', () => {
  expect(stateAfter({ isWaiting: true, time: deadline })).toBe(closed);
  expect(stateAfter({ isWaiting: true, time: deadline + 1n })).toBe(open);
  expect(stateAfter({ isWaiting: false, time: deadline + 1n })).toBe(closed);
});
