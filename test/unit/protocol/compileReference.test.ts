import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileAgreement, encodeInputPayload } from '../../../src/protocol/index.ts';
import { address, documentWithValues, submissionOf } from './support/randomDocument.ts';
import {
  type Action,
  compileByReference,
  compileByViem,
  encodeByReference,
} from './support/referenceCompiler.ts';

/** For a long run: COMPILE_RUNS sets the number of runs, COMPILE_SEED the seed. */
const numRuns = Number(process.env.COMPILE_RUNS ?? 400);
const seed = process.env.COMPILE_SEED;
const options = { numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) };

test('a document compiles like a plain implementation of the rules', () => {
  const property = fc.property(
    documentWithValues,
    fc.option(fc.string(), { nil: undefined }),
    (drawn, docUri) => {
      const { document, values } = drawn;
      expect(compileAgreement(document, { docUri, values })).toEqual(
        compileByReference(document, values, docUri),
      );
    },
  );
  fc.assert(property, options);
});

test('an input’s payload equals that of a plain implementation of the rules', () => {
  const submitted = documentWithValues
    .filter(({ document }) => Object.keys(document.execution.inputs).length > 0)
    .chain(({ document }) =>
      fc.constantFrom(...Object.keys(document.execution.inputs)).chain((inputId) =>
        fc.record({
          document: fc.constant(document),
          inputId: fc.constant(inputId),
          values: submissionOf(document, inputId),
        }),
      ),
    );
  const property = fc.property(submitted, ({ document, inputId, values }) => {
    expect(encodeInputPayload(document, inputId, values)).toBe(encodeByReference(document, inputId, values));
  });
  fc.assert(property, options);
});

const types = [
  'uint',
  'uint256',
  'uint128',
  'uint8',
  'int',
  'int64',
  'bool',
  'string',
  'address',
  'bytes20',
  'bytes',
  'bytes4',
];
const argument = fc.oneof(
  fc.constantFrom('5', '255', '256', '-1', '0x05', 'true', 'false', '0x12345678', '0x', 'text', ''),
  address,
);

/** Functions with the same name and number of parameters, and the same number of arguments. */
const overloads = fc.integer({ min: 0, max: 3 }).chain((count) =>
  fc.record({
    abi: fc.array(
      fc.array(fc.constantFrom(...types), { minLength: count, maxLength: count }).map((inputs) => ({
        type: 'function' as const,
        name: 'f',
        inputs: inputs.map((type) => ({ type })),
        outputs: [],
        stateMutability: 'nonpayable' as const,
      })),
      { minLength: 1, maxLength: 4 },
    ),
    args: fc.array(argument, { minLength: count, maxLength: count }),
  }),
);

test('of several functions of one name the one is called that viem calls', () => {
  const property = fc.property(overloads, ({ abi, args }) => {
    // For bytes, viem writes any text, even if that is no valid call data.
    const isBytes = (at: number) => abi.some(({ inputs }) => inputs[at]?.type.startsWith('bytes'));
    fc.pre(args.every((text, at) => !isBytes(at) || /^0x([0-9a-f]{2})*$/i.test(text)));
    const call = { type: 'evmCall', target: `0x${'11'.repeat(20)}`, abi, method: 'f', args };
    const action: Action = { when: { from: 'A', input: 'go' }, call };
    const document = {
      metadata: {},
      variables: {},
      contracts: {},
      execution: {
        states: {},
        initialize: { initialState: 'A', data: {} },
        inputs: {},
        transitions: [],
        actions: [action],
      },
    };
    expect(attempt(() => compileAgreement(document).actions[0]?.data)).toBe(
      attempt(() => compileByViem(document, {}, action).data),
    );
  });
  fc.assert(property, { ...options, numRuns: numRuns * 3 });
});

/** Null if the call is refused. */
function attempt(encode: () => string | undefined): string | null | undefined {
  try {
    return encode()?.toLowerCase();
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
