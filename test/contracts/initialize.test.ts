import { type Address, encodeFunctionData, type Hex, zeroAddress, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import {
  buildContent,
  type Content,
  contentArguments,
  createAgreement,
  creationCall,
  inputDef,
  submission,
  transition,
} from './support/agreement.ts';
import { accounts, implementation, startTestChain, type TestChain } from './support/chain.ts';
import { readEvents } from './support/events.ts';
import {
  boolField,
  condition,
  dataField,
  declare,
  encodeUint,
  id,
  textField,
  uintField,
} from './support/language.ts';
import { customError, reason, withoutData } from './support/reverts.ts';

const owner = accounts.owner.address;
const verifier = accounts.signer.address;
const target = accounts.stranger.address;

let chain: TestChain;
let blank: Address;
beforeAll(async () => {
  chain = await startTestChain();
  blank = await createBlank();
});
afterAll(() => chain.stop());

/** A proxy of the engine that is not initialised. */
async function createBlank(): Promise<Address> {
  const proxy: Hex = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
  const hash = await chain.client.sendTransaction({ account: owner, chain: null, data: proxy });
  const { contractAddress } = await awaitReceipt(chain.client, hash);
  if (!contractAddress) throw new Error('the proxy was not created');
  return contractAddress;
}

function initialization(to: Address, parts: Partial<Content> = {}, newOwner: Address = owner) {
  const args = [newOwner, ...contentArguments(buildContent(parts))] as const;
  return {
    from: owner,
    to,
    data: encodeFunctionData({ abi: agreementEngineAbi, functionName: 'initialize', args }),
  };
}

/** The revert data for this content, which must be the same for both ways of creating an agreement. */
async function refusal(parts: Partial<Content>): Promise<Hex | null> {
  const answer = await chain.findRevertData(initialization(blank, parts));
  expect(await chain.findRevertData(creationCall(parts, id('refused')))).toBe(answer);
  return answer;
}

describe('initialisation', () => {
  it('happens once', async () => {
    const again = customError('InvalidInitialization()');
    expect(await chain.findRevertData(initialization(await createAgreement(chain)))).toBe(again);
    const proxy = await createBlank();
    await chain.send(initialization(proxy));
    expect(await chain.findRevertData(initialization(proxy))).toBe(again);
  });

  it('never happens to the engine that agreements delegate to', async () => {
    expect(await chain.findRevertData(initialization(implementation))).toBe(
      customError('InvalidInitialization()'),
    );
  });

  it('is what makes inputs possible', async () => {
    expect(await chain.findRevertData(submission(blank, 'act'))).toBe(customError('NotInitialized()'));
  });

  it('announces verifiers, then actions, then the agreement, each in its order', async () => {
    const verifiers = ['b', 'a'].map((key) => ({ key: id(key), verifier }));
    const action = (value: bigint) => ({
      fromState: id('open'),
      inputId: id('act'),
      target,
      value,
      data: '0x12' as const,
    });
    const actions = [action(2n), action(1n), action(2n)];
    const { logs } = await chain.send(initialization(await createBlank(), { verifiers, actions }));
    const { docUri, docHash, initialState } = buildContent();
    expect(readEvents(logs)).toEqual([
      ...verifiers.map((args) => ['VerifierRegistered', args]),
      ...actions.map((args) => ['ActionRegistered', args]),
      ['AgreementInitialized', { owner, docUri, docHash, initialState }],
      ['Initialized', { version: 1n }],
    ]);
  });

  it('takes the last of repeated initial variables, whatever the type of the first', async () => {
    const agreement = await createAgreement(chain, {
      inputDefs: [
        inputDef('act', {
          fields: [declare('expected', 'UINT256')],
          conditions: [condition('UINT_EQ_VAR', 'expected', id('amount'))],
        }),
      ],
      initVars: [boolField('amount', true), uintField('amount', 1n), uintField('amount', 2n)],
    });
    expect(await chain.findRevertData(submission(agreement, 'act', [uintField('expected', 2n)]))).toBeNull();
  });

  it('accepts transitions and actions of states and inputs that are defined nowhere', async () => {
    const transitions = [transition('nowhere', 'nothing', 'elsewhere')];
    const actions = [{ fromState: zeroHash, inputId: zeroHash, target, value: 0n, data: '0x' as const }];
    expect(await refusal({ initialState: zeroHash, inputDefs: [], transitions, actions })).toBeNull();
  });
});

describe('initialisation is refused', () => {
  it('without an owner, before anything else', async () => {
    const verifiers = [{ key: id('key'), verifier: zeroAddress }];
    const call = initialization(blank, { verifiers }, zeroAddress);
    expect(await chain.findRevertData(call)).toBe(customError('OwnerZero()'));
  });

  it('with a verifier of zero, or two under one key', async () => {
    const [key, zero] = [id('key'), { key: id('key'), verifier: zeroAddress }];
    expect(await refusal({ verifiers: [zero] })).toBe(customError('VerifierZero()'));
    expect(await refusal({ verifiers: [{ key, verifier }, zero] })).toBe(customError('VerifierZero()'));
    const twice = [verifier, target].map((address) => ({ key, verifier: address }));
    expect(await refusal({ verifiers: twice })).toBe(customError('DuplicateVerifier(bytes32 key)', key));
  });

  it('with an input of id zero, or two of one id', async () => {
    expect(await refusal({ inputDefs: [{ ...inputDef('act'), id: zeroHash }] })).toBe(
      reason('InputDef id zero'),
    );
    expect(await refusal({ inputDefs: [inputDef('act'), inputDef('act')] })).toBe(
      reason('Duplicate inputId'),
    );
  });

  it('with an input that names a verifier which is not there', async () => {
    const verifierKeys = [id('known'), id('unknown')];
    const verifiers = [{ key: id('known'), verifier }];
    expect(await refusal({ inputDefs: [inputDef('act', { verifierKeys })], verifiers })).toBe(
      customError('UnknownVerifier(bytes32 key)', id('unknown')),
    );
  });

  it('with an initial variable of id zero', async () => {
    expect(await refusal({ initVars: [{ ...uintField('any', 1n), id: zeroHash }] })).toBe(
      reason('InitVar id zero'),
    );
  });

  it('with an initial variable that does not decode', async () => {
    const cases = [
      [dataField('any', 'STRING', '0x'), reason('Field data is empty')],
      [dataField('any', 'UINT256', '0x01'), reason('Invalid uint256 encoding')],
      [dataField('any', 'ADDRESS', '0x01'), reason('Invalid address encoding')],
      [dataField('any', 'BOOL', '0x01'), reason('Invalid bool encoding')],
      [dataField('any', 'BYTES32', '0x01'), reason('Invalid bytes32 encoding')],
      [dataField('any', 'STRING', encodeUint(32n)), reason('Invalid string encoding')],
      [dataField('any', 'BOOL', encodeUint(2n)), withoutData],
    ] as const;
    for (const [field, answer] of cases) {
      expect(await refusal({ initVars: [textField('good', 'é'), field] })).toBe(answer);
    }
  });

  it('with an op or a field type outside the language, as calldata that does not decode', async () => {
    const [fieldId, bytesArg] = [id('value'), encodeUint(10n)];
    for (const op of [18, 255]) {
      const conditions = [{ op, fieldId, bytesArg }];
      expect(await refusal({ inputDefs: [inputDef('act', { conditions })] })).toBe(withoutData);
    }
    const fields = [{ ...declare('value', 'UINT256'), fType: 5 }];
    expect(await refusal({ inputDefs: [inputDef('act', { fields })] })).toBe(withoutData);
    expect(await refusal({ initVars: [{ ...uintField('any', 1n), fType: 5 }] })).toBe(withoutData);
  });

  it('with an action on the zero address', async () => {
    const actions = [
      { fromState: id('open'), inputId: id('act'), target: zeroAddress, value: 0n, data: '0x' as const },
    ];
    expect(await refusal({ actions })).toBe(customError('ActionTargetZero()'));
  });

  it('for the first fault among verifiers, inputs, initial variables and actions', async () => {
    const faults: [Partial<Content>, Hex][] = [
      [{ verifiers: [{ key: zeroHash, verifier: zeroAddress }] }, customError('VerifierZero()')],
      [{ inputDefs: [inputDef('act'), inputDef('act')] }, reason('Duplicate inputId')],
      [{ initVars: [dataField('any', 'BOOL', '0x')] }, reason('Field data is empty')],
      [
        { actions: [{ fromState: zeroHash, inputId: zeroHash, target: zeroAddress, value: 0n, data: '0x' }] },
        customError('ActionTargetZero()'),
      ],
    ];
    for (let first = 0; first < faults.length; first++) {
      const remaining = faults.slice(first);
      const content = Object.assign({}, ...remaining.map(([parts]) => parts));
      expect(await refusal(content)).toBe(remaining[0]?.[1]);
    }
  });
});
