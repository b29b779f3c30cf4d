// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeModelReport } from '../model/describeModelReport.ts';
import { generateCases, runModelTest } from '../model/runModelTest.ts';
import { type ContractChain, startContractChain } from '../model/support/contractChain.ts';
import type { ModelCase } from '../model/support/modelCase.ts';
import { walkDocument } from '../model/support/walkDocument.ts';

const examples = new URL('../../examples/agreements/', import.meta.url);

describe('the model of the engine', () => {
  let chain: ContractChain;
  beforeAll(async () => {
    chain = await startContractChain();
  });
  afterAll(() => chain.stop());

  const compare = (cases: Iterable<ModelCase>) => runModelTest({ chain, cases });

  it("gives the contracts' results for generated agreements and inputs, to the byte", async () => {
    const report = await compare(generateCases(2_000, 20_260_601));
    expect(report.findings, describeModelReport(report)).toEqual([]);
    // The cases must reach every check of the engine; otherwise the comparison shows little.
    expect([...report.reached.reverts.keys()]).toEqual(expect.arrayContaining(everyRevert));
    expect(report.reached.accepted).toBeGreaterThan(report.reached.steps / 8);
  });

  it.each(readdirSync(examples))("gives the contracts' results on all paths of %s", async (file) => {
    const agreement: unknown = JSON.parse(readFileSync(new URL(file, examples), 'utf8'));
    const report = await compare(walkDocument(agreement));
    expect(report.findings, describeModelReport(report)).toEqual([]);
    expect(report.reached.accepted).toBeGreaterThan(0);
  });

  it("gives the contracts' results on all paths of a document with bounds that no value misses or fits", async () => {
    const report = await compare(walkDocument(extremeDocument));
    expect(report.findings, describeModelReport(report)).toEqual([]);
    expect(report.reached.accepted).toBeGreaterThan(0);
    expect([...report.reached.reverts.keys()]).toContain('ComparisonFailed');
  });

  it("gives the contracts' results on all paths of a document whose action reverts", async () => {
    const report = await compare(walkDocument(revertingDocument));
    expect(report.findings, describeModelReport(report)).toEqual([]);
    expect([...report.reached.reverts.keys()]).toContain('ActionCallFailed');
  });
});

const most = (2n ** 256n - 1n).toString();
const stranger = '0x00000000000000000000000000000000000beef1';

/**
 * The highest number as a bound, a text longer than any memory, one name with two types, and a sender who is only
 * named as a literal.
 */
const extremeDocument = {
  metadata: { id: 'extreme' },
  variables: { owner: { type: 'address', subtype: 'participant' } },
  execution: {
    states: { Open: {}, Closed: {} },
    initialize: { initialState: 'Open', data: {} },
    inputs: {
      count: { issuer: [stranger], data: { n: { type: 'uint256', validation: { min: most, max: most } } } },
      write: { data: { text: { type: 'string', validation: { minLength: 2 ** 53 - 1 } } } },
      appoint: { data: { one: '${variables.owner}', owner: { type: 'string' } } },
    },
    transitions: ['count', 'write', 'appoint'].map((input) => ({
      from: 'Open',
      to: 'Closed',
      conditions: [{ type: 'isValid', input }],
    })),
  },
};

/** One of the contracts outside the engine is the target of its action, and refuses every call. */
const revertingDocument = {
  metadata: { id: 'reverting' },
  execution: {
    states: { Open: {}, Closed: {} },
    initialize: { initialState: 'Open', data: {} },
    inputs: { go: { data: {} } },
    transitions: [{ from: 'Open', to: 'Closed', conditions: [{ type: 'isValid', input: 'go' }] }],
    actions: [
      {
        when: { from: 'Open', input: 'go' },
        call: {
          type: 'evmCall',
          target: '0x00000000000000000000000000000000000a0002',
          value: '0',
          abi: [{ type: 'function', name: 'ping', inputs: [] }],
          method: 'ping',
          args: [],
        },
      },
    ],
  },
};

/** The contracts' reverts, as `describeModelReport` names them. */
const everyRevert = [
  'revert without data',
  'Panic(65)',
  'PermitExpired',
  'InvalidSignature',
  'Error(Unknown inputId)',
  'Error(Field type mismatch)',
  'Error(Required field missing)',
  'Error(Field data is empty)',
  'Error(Invalid uint256 encoding)',
  'Error(Invalid address encoding)',
  'Error(Invalid bool encoding)',
  'Error(Invalid bytes32 encoding)',
  'Error(Invalid string encoding)',
  'Error(Condition field not found in input data)',
  'ComparisonFailed',
  'TypeMismatch',
  'VarNotSet',
  'SenderAddressMismatch',
  'SenderAddressNotAllowed',
  'Error(No valid transition)',
  'ActionCallFailed',
  'at creation: revert without data',
  'at creation: OwnerZero',
  'at creation: VerifierZero',
  'at creation: DuplicateVerifier',
  'at creation: UnknownVerifier',
  'at creation: ActionTargetZero',
  'at creation: Error(InputDef id zero)',
  'at creation: Error(Duplicate inputId)',
  'at creation: Error(InitVar id zero)',
  'at creation: Error(Field data is empty)',
];
