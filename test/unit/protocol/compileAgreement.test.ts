import { keccak256, stringToBytes, zeroHash } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  AgreementError,
  compileAgreement,
  FieldType,
  hashInputDefs,
  nameHash,
  Op,
  ValuesError,
} from '../../../src/protocol/index.ts';
import {
  alice,
  bob,
  buildDocument,
  documentWithFields,
  documentWithIssuer,
  readDocument,
  someHash,
} from './documents.ts';
import { refusedPaths } from './issues.ts';

const uint = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

describe('document text', () => {
  test('the hash covers the parsed value in ECMAScript order, numbers re-printed, of repeated keys the last', () => {
    const agreement: unknown = JSON.parse(
      '{"z":1.50,"10":1e3,"2":0,"execution":{"initialize":{"initialState":"A"}},"z":-0}',
    );
    const text = '{"2":0,"10":1000,"z":0,"execution":{"initialize":{"initialState":"A"}}}';
    expect(compileAgreement(agreement).docHash).toBe(keccak256(stringToBytes(text)));
  });

  test.each([
    ['https://example.org/1', {}, 'https://example.org/1'],
    ['', {}, ''],
    [undefined, { id: 'did:x' }, 'ipfs://agreement/did:x'],
    [null, { id: 'did:x' }, 'ipfs://agreement/did:x'],
    [undefined, { templateId: 'did:t' }, 'ipfs://agreement/undefined'],
    [undefined, undefined, 'ipfs://agreement/undefined'],
    [undefined, { id: 7 }, 'ipfs://agreement/7'],
  ])('docUri %j with metadata %j is %s', (docUri, metadata, expected) => {
    expect(compileAgreement(buildDocument({ metadata }), { docUri }).docUri).toBe(expected);
  });
});

describe('fields', () => {
  const compileFields = (fields: object, variables?: object) =>
    compileAgreement(documentWithFields(fields, variables)).inputDefs[0]?.fields;
  const field = (name: string, fType: number, { required = true, persist = false } = {}) => ({
    fieldId: nameHash(name),
    fType,
    required,
    persist,
  });

  test.each([
    ['uint256', FieldType.UINT256],
    ['string', FieldType.STRING],
    ['signature', FieldType.STRING],
    ['dateTime', FieldType.STRING],
    ['address', FieldType.ADDRESS],
    ['bool', FieldType.BOOL],
    ['bytes32', FieldType.BYTES32],
    ['txHash', FieldType.BYTES32],
    ['number', FieldType.STRING],
    ['toString', FieldType.STRING],
  ])('the authored type %s is the on-chain type %i', (type, fType) => {
    expect(compileFields({ a: { type } })).toEqual([field('a', fType)]);
  });

  test('a reference takes its variable’s name, type and rules, and persists for addresses alone', () => {
    const variables = { who: { type: 'address', validation: { required: false } }, sum: { type: 'uint256' } };
    expect(compileFields({ x: `see \${variables.who.value}`, y: `\${variables.sum` }, variables)).toEqual([
      field('who', FieldType.ADDRESS, { required: false, persist: true }),
      field('sum', FieldType.UINT256),
    ]);
  });

  test('an address that is no reference does not persist', () => {
    expect(compileFields({ who: { type: 'address' } })).toEqual([field('who', FieldType.ADDRESS)]);
  });

  test('a reference to an unknown variable is a string of that name, any other text a string of its own', () => {
    const expected = [field('gone', FieldType.STRING), field('y', FieldType.STRING)];
    expect(compileFields({ x: `\${variables.gone}`, y: 'text' })).toEqual(expected);
  });

  test('names of Object.prototype are not variables', () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    const fields = Object.fromEntries(names.map((name, at) => [`f${at}`, `\${variables.${name}}`]));
    expect(compileFields(fields)).toEqual(names.map((name) => field(name, FieldType.STRING)));
  });

  test('a schema that is an object holds the fields only where there is no data', () => {
    const schema = { a: { type: 'bool' } };
    const inputs = {
      one: { schema },
      two: { data: {}, schema },
      three: { schema: 'a.json' },
      four: { data: null, schema },
    };
    const compiled = compileAgreement(buildDocument({ inputs })).inputDefs.map(({ fields }) => fields.length);
    expect(compiled).toEqual([1, 0, 0, 1]);
  });
});

describe('conditions', () => {
  const compileConditions = (fields: object) =>
    compileAgreement(documentWithFields(fields)).inputDefs[0]?.conditions;

  test('bounds are min before max, by the type that they apply to, and a bound of zero is one too', () => {
    const fields = {
      b: { type: 'uint256', validation: { max: '0x10', min: 0, minLength: 3, pattern: 'x', step: 2 } },
      a: { type: 'dateTime', validation: { maxLength: 9, minLength: '0', min: 3 } },
      c: { type: 'address', validation: { min: 1, maxLength: 1 } },
    };
    expect(compileConditions(fields)).toEqual([
      { op: Op.UINT_GTE_CONST, fieldId: nameHash('b'), bytesArg: uint(0) },
      { op: Op.UINT_LTE_CONST, fieldId: nameHash('b'), bytesArg: uint(16) },
      { op: Op.STRING_MIN_LENGTH, fieldId: nameHash('a'), bytesArg: uint(0) },
      { op: Op.STRING_MAX_LENGTH, fieldId: nameHash('a'), bytesArg: uint(9) },
    ]);
  });

  test('a JSON number past 2^53 is the whole number that it was read as', () => {
    const conditions = compileConditions({ a: { type: 'uint256', validation: { max: 1e21 } } });
    expect(conditions?.[0]?.bytesArg).toBe(`0x${(10n ** 21n).toString(16).padStart(64, '0')}`);
  });

  test.each([-1, 1.5, 'x', '', true, 1e78, {}])('a bound of %j is refused with its path', (min) => {
    const agreement = documentWithFields({ a: { type: 'uint256', validation: { min } } });
    expect(refusedPaths(() => compileAgreement(agreement))).toEqual([
      'execution.inputs.go.data.a.validation.min',
    ]);
  });
});

describe('issuer', () => {
  const literal = '0xde709f2102306220921060314715629080e2fb77';
  const compileIssuer = (issuer: unknown) =>
    compileAgreement(documentWithIssuer(issuer)).inputDefs[0]?.conditions;
  const word = (hex: string) => hex.slice(2).toLowerCase().padStart(64, '0');
  const single = [{ op: Op.SENDER_EQ_VAR_ADDRESS, fieldId: nameHash('owner'), bytesArg: '0x' }];
  const listed = (ids: string[], literals: string[]) => {
    const parts = [
      uint(64),
      uint(96 + 32 * ids.length),
      uint(ids.length),
      ...ids,
      uint(literals.length),
      ...literals,
    ];
    return [
      { op: Op.SENDER_IN_ALLOWED_ADDRESSES, fieldId: zeroHash, bytesArg: `0x${parts.map(word).join('')}` },
    ];
  };

  test.each([[undefined], [null], ['']])('%j lets anyone submit', (issuer) => {
    expect(compileIssuer(issuer)).toEqual([]);
  });

  test.each([
    [`\${variables.owner.value}`],
    [[`\${variables.owner}`]],
    [{ type: 'participant', variable: 'owner', note: 'kept' }],
  ])('%j compares with one variable', (issuer) => {
    expect(compileIssuer(issuer)).toEqual(single);
  });

  test.each([
    [literal, listed([], [literal])],
    [[literal], listed([], [literal])],
    [[`\${variables.owner}`, `\${variables.owner}`], listed([nameHash('owner'), nameHash('owner')], [])],
    [[alice, `\${variables.owner}`, literal], listed([nameHash('owner')], [alice, literal])],
  ])('%j allows references before literals', (issuer, expected) => {
    expect(compileIssuer(issuer)).toEqual(expected);
  });

  test.each([
    [[], 'issuer'],
    [`\${variables.nobody}`, 'issuer'],
    [`\${variables.amount}`, 'issuer'],
    [`\${variables.constructor}`, 'issuer'],
    ['somebody', 'issuer'],
    [' ', 'issuer'],
    [alice.toUpperCase().replace('0X', '0x'), 'issuer'],
    [[`\${variables.owner}`, ''], 'issuer.1'],
    [[`\${variables.owner}`, { type: 'participant', variable: 'owner' }], 'issuer.1'],
    [[null], 'issuer.0'],
    [{ type: 'participant', variable: 'nobody' }, 'issuer.variable'],
    [{ type: 'participant' }, 'issuer.variable'],
    [{ type: 'role', variable: 'owner' }, 'issuer'],
    [{ variable: 'owner' }, 'issuer'],
    [7, 'issuer'],
    [false, 'issuer'],
  ])('%j is refused at %s', (issuer, path) => {
    const paths = refusedPaths(() => compileAgreement(documentWithIssuer(issuer)));
    expect(new Set(paths)).toEqual(new Set([`execution.inputs.go.${path}`]));
  });
});

describe('initial variables', () => {
  test('references to declared variables are kept in order with repeats, everything else means nothing', () => {
    const data = {
      b: `\${variables.amount}`,
      a: `x \${variables.owner`,
      c: `\${variables.amount}`,
      d: `\${variables.gone}`,
      e: 7,
    };
    const { initVars } = compileAgreement(buildDocument({ data }), {
      values: { amount: '0x02', owner: alice },
    });
    const amount = { id: nameHash('amount'), fType: FieldType.UINT256, data: uint(2) };
    const owner = {
      id: nameHash('owner'),
      fType: FieldType.ADDRESS,
      data: `0x${alice.slice(2).toLowerCase().padStart(64, '0')}`,
    };
    expect(initVars).toEqual([amount, owner, amount]);
  });

  test.each([{}, { amount: null }, { amount: -1 }, { amount: 1.5 }, { amount: 2 ** 53 }, { amount: true }])(
    'values %j are refused at values.amount',
    (values) => {
      const compile = () =>
        compileAgreement(buildDocument({ data: { x: `\${variables.amount}` } }), { values });
      expect(compile).toThrow(ValuesError);
      expect(refusedPaths(compile)).toEqual(['values.amount']);
    },
  );

  test('values of Object.prototype do not stand in for missing ones', () => {
    const agreement = buildDocument({
      variables: { constructor: { type: 'string' } },
      data: { x: `\${variables.constructor}` },
    });
    expect(refusedPaths(() => compileAgreement(agreement, { values: {} }))).toEqual(['values.constructor']);
  });
});

describe('transitions', () => {
  test('the first condition names the input, and undeclared names compile', () => {
    const transitions = [{ from: 'X', to: 'Y', conditions: [{ input: 'one' }, { input: 'two' }] }];
    expect(compileAgreement(buildDocument({ transitions })).transitions).toEqual([
      { fromState: nameHash('X'), toState: nameHash('Y'), inputId: nameHash('one') },
    ]);
  });

  test.each([
    [[{ from: 'A', to: 'B' }], '0.conditions'],
    [[{ from: 'A', to: 'B', conditions: [] }], '0.conditions'],
    [[{ from: 'A', to: 'B', conditions: [{ type: 'isValid' }] }], '0.conditions.0.input'],
    [[{ to: 'B', conditions: [{ input: 'go' }] }], '0.from'],
  ])('%j is refused at %s', (transitions, path) => {
    expect(refusedPaths(() => compileAgreement(buildDocument({ transitions })))).toEqual([
      `execution.transitions.${path}`,
    ]);
  });
});

describe('actions', () => {
  const call = (parts: object) => ({
    type: 'evmCall',
    target: bob,
    abi: [{ type: 'function', name: 'ping', inputs: [{ type: 'uint256' }] }],
    method: 'ping',
    args: ['1'],
    ...parts,
  });
  const withCall = (parts: object, contracts?: object) =>
    buildDocument({ contracts, actions: [{ when: { from: 'A', input: 'go' }, call: call(parts) }] });
  const compileCall = (parts: object, values = {}) =>
    compileAgreement(withCall(parts), { values }).actions[0];

  test('a variable comes before a contract, and a value need not be stored initially', () => {
    const target = `\${contracts.token.address} \${variables.owner}`;
    expect(compileCall({ target }, { owner: alice })?.target).toBe(alice);
  });

  test('an integer parameter takes decimal, 0x and negative texts within its width', () => {
    const abi = [{ type: 'function', name: 'ping', inputs: [{ type: 'int8' }] }];
    expect(compileCall({ abi, args: ['-128`] })?.data.slice(10)).toBe(`${`f'.repeat(62)}80`);
    expect(refusedPaths(() => compileCall({ abi, args: ['128'] }))).toEqual([
      'execution.actions.0.call.args.0',
    ]);
  });

  test.each([
    [{ type: 'call' }, 'type'],
    [{ type: undefined }, 'type'],
    [{ method: 'pong' }, 'abi'],
    [{ method: 'toString', abi: [] }, 'abi'],
    [{ abi: '[]' }, 'abi'],
    [{ args: [] }, 'args'],
    [{ args: ['1', '2'] }, 'args'],
    [{ args: ['one'] }, 'args.0'],
    [{ args: [null] }, 'args.0'],
    [{ args: [{}] }, 'args.0'],
    [{ args: [`\${contracts.gone.address}`] }, 'args.0'],
    [{ target: 'nowhere' }, 'target'],
    [{ target: undefined }, 'target'],
    [{ value: `\${variables.amount}` }, 'value'],
    [{ value: -1 }, 'value'],
  ])('%j is refused at call.%s', (parts, path) => {
    const compile = () => compileAgreement(withCall(parts));
    expect(compile).toThrow(AgreementError);
    expect(refusedPaths(compile)[0]).toBe(`execution.actions.0.call.${path}`);
  });

  test.each([
    [{ target: `\${variables.owner}` }, {}, 'values.owner'],
    [{ target: `\${variables.note}` }, { note: 'no address' }, 'values.note'],
    [{ args: [`\${variables.note}`] }, { note: 'no number' }, 'values.note'],
    [{ args: [`\${variables.constructor}`] }, {}, 'values.constructor'],
  ])('%j with values %j is refused at %s', (parts, values, path) => {
    const compile = () => compileAgreement(withCall(parts), { values });
    expect(compile).toThrow(ValuesError);
    expect(refusedPaths(compile)).toEqual([path]);
  });

  test('a contract whose address is none is refused where it stands', () => {
    const agreement = withCall({ target: `\${contracts.token.address}` }, { token: { address: 'soon' } });
    expect(refusedPaths(() => compileAgreement(agreement))).toEqual(['contracts.token.address']);
  });
});

test('all issues of a document are found at once', () => {
  const agreement = buildDocument({
    initialState: 7,
    transitions: [{}],
    inputs: { go: { data: { a: 5 }, issuer: 'x' } },
  });
  expect(refusedPaths(() => compileAgreement(agreement))).toEqual([
    'execution.initialize.initialState',
    'execution.inputs.go.data.a',
    'execution.inputs.go.issuer',
    'execution.transitions.0.from',
    'execution.transitions.0.to',
    'execution.transitions.0.conditions',
  ]);
});

test('every word of the input definitions counts', () => {
  const [first] = compileAgreement(readDocument('escrow'), {
    values: { buyer: alice, seller: bob, price: 1, express: true, orderRef: someHash },
  }).inputDefs;
  expect(first && hashInputDefs([{ ...first, id: nameHash('other') }])).not.toBe(
    first && hashInputDefs([first]),
  );
});
