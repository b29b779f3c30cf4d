import {
  type Abi,
  concatHex,
  encodeAbiParameters,
  encodeErrorResult,
  type Hex,
  numberToHex,
  parseAbi,
  size,
  slice,
  toFunctionSelector,
} from 'viem';
import { describe, expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { decodeRevert, listActionErrors } from '../../../src/platform/nodes/decodeRevert.ts';

const target = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const plain = parseAbi(['error Error(string)', 'error Panic(uint256)']);
const message = (text: string) => encodeErrorResult({ abi: plain, errorName: 'Error', args: [text] });
const inAction = (revertData: Hex) =>
  encodeErrorResult({ abi: agreementEngineAbi, errorName: 'ActionCallFailed', args: [target, revertData] });

describe("a contract's revert is decoded", () => {
  test.each([
    [
      'a message',
      message('No valid transition'),
      {
        name: 'Error',
        message: 'No valid transition',
        explanation: 'No transition from the current state uses this input.',
      },
    ],
    [
      'a panic',
      encodeErrorResult({ abi: plain, errorName: 'Panic', args: [0x12n] }),
      { name: 'Panic', message: 'Panic division by zero' },
    ],
    [
      'an error of the protocol',
      encodeErrorResult({ abi: agreementEngineAbi, errorName: 'PermitExpired', args: [7n] }),
      {
        name: 'PermitExpired',
        message: 'PermitExpired(7)',
        args: ['7'],
        explanation: 'The deadline of the permit has passed.',
      },
    ],
    ['nothing', '0x', { name: 'Unknown', message: 'The contract reverted without a reason.' }],
    ['no data at all', undefined, { name: 'Unknown', message: 'The contract reverted without a reason.' }],
    [
      'an error that nobody knows',
      '0xdeadbeef',
      {
        name: 'Unknown',
        message: 'The contract reverted with an unknown error, 0xdeadbeef.',
        data: '0xdeadbeef',
      },
    ],
  ] as const)('%s', (_, data, expected) => {
    expect(decodeRevert(data)).toEqual(expected);
  });

  test('the reason of an action, with the contract that it called', () => {
    expect(decodeRevert(inAction(message('paused')))).toEqual({ name: 'Error', message: 'paused', target });
  });

  test('a token error that the document does not list', () => {
    const abi = parseAbi(['error ERC20InsufficientAllowance(address,uint256,uint256)']);
    const data = encodeErrorResult({ abi, errorName: 'ERC20InsufficientAllowance', args: [target, 0n, 5n] });
    expect(decodeRevert(inAction(data))).toMatchObject({
      message: `ERC20InsufficientAllowance(${target}, 0, 5)`,
      target,
    });
  });

  test("a comparison without the contract's own text, which names another comparison", () => {
    const data = encodeErrorResult({
      abi: agreementEngineAbi,
      errorName: 'ComparisonFailed',
      args: ['UINT_LTE_CONST', 'UINT256'],
    });
    expect(decodeRevert(data)).toEqual({
      name: 'ComparisonFailed',
      message: 'A submitted value breaks a rule of the agreement.',
    });
  });

  test('an error that the action lists in its ABI, beside entries that are none', () => {
    const custom = { type: 'error', name: 'Paused', inputs: [{ name: 'since', type: 'uint256' }] };
    const broken = { type: 'error', name: 'Broken', inputs: [{ name: 'x', type: 'nonsense' }] };
    const abi = [null, 5, { type: 'function', name: 'f', inputs: [] }, { type: 'error' }, custom];
    const agreement = { execution: { actions: [null, { call: { abi: [broken] } }, { call: { abi } }] } };
    const data = encodeErrorResult({
      abi: parseAbi(['error Paused(uint256 since)']),
      errorName: 'Paused',
      args: [9n],
    });
    expect(decodeRevert(inAction(data), listActionErrors(agreement))).toMatchObject({ message: 'Paused(9)' });
  });

  test('an error beside one that is badly written', () => {
    const broken = { type: 'error', name: 'Broken', inputs: [{ name: 'x', type: 7 }, null] };
    const [custom] = parseAbi(['error Paused((uint256 at, string[] why)[] since)']);
    const agreement = { execution: { actions: [{ call: { abi: [broken, custom] } }] } };
    const data = encodeErrorResult({
      ...{ abi: [custom], errorName: 'Paused' },
      args: [[{ at: 9n, why: ['x'] }]],
    });
    expect(decodeRevert(data, listActionErrors(agreement))).toMatchObject({ name: 'Paused' });
  });

  test('with at most 256 different errors of a document, each of which is hashed once', () => {
    let reads = 0;
    const create = (at: number) =>
      new Proxy(
        { type: 'error', name: `E${at}`, inputs: [{ type: 'uint256' }] },
        {
          get(target, key) {
            if (key === 'name') reads++;
            return Reflect.get(target, key);
          },
        },
      );
    const abi = Array.from({ length: 600 }, (_, at) => create(Math.floor(at / 2)));
    const actions = Array.from({ length: 64 }, () => ({ call: { abi } }));
    const errors = listActionErrors({ execution: { actions } });
    expect(errors).toHaveLength(256);
    const data = encodeErrorResult({
      ...{ abi: parseAbi(['error E255(uint256)']), errorName: 'E255' },
      args: [7n],
    });
    expect(decodeRevert(data, errors)).toMatchObject({ message: 'E255(7)' });
    reads = 0;
    for (let at = 0; at < 10; at++) expect(decodeRevert(data, errors).name).toBe('E255');
    expect(reads).toBeLessThan(256);
  });

  test('a long text is cut', () => {
    const { message: shown } = decodeRevert(message('x'.repeat(10_000)));
    expect(shown.length).toBeLessThanOrEqual(500);
  });

  test('a failed action within others is looked for a few calls deep, however deep the data say that it lies', () => {
    const paused = message('paused');
    expect(decodeRevert(inAction(inAction(paused)))).toMatchObject({ message: 'paused', target });
    const levels = 2_000;
    const parts = Array.from({ length: levels }, (_, at) => {
      const head = slice(inAction('0x'), 0, 4 + 64);
      return concatHex([head, numberToHex((levels - 1 - at) * (4 + 96), { size: 32 })]);
    });
    expect(decodeRevert(concatHex(parts))).toMatchObject({
      message: expect.stringMatching(/^ActionCallFailed\(/),
      target,
    });
  });

  test('data that only begin like a known error are shown as they are', () => {
    const selector = message('').slice(0, 10);
    const data: Hex = `0x${selector.slice(2)}${encodeAbiParameters([{ type: 'uint256' }], [1n]).slice(2)}`;
    expect(decodeRevert(data)).toMatchObject({ name: 'Unknown', data });
  });
});

/** Parts within parts, each a list of a list. */
function deep(levels: number): object {
  if (levels === 0) return { type: 'uint8' };
  return { type: 'tuple[1]', components: [deep(levels - 1)] };
}

describe('an error that a document lists', () => {
  const list = (type: string, components?: object[]) => {
    const entry = {
      type: 'error',
      name: 'Listed',
      inputs: [{ name: 'a', type, ...(components && { components }) }],
    };
    return listActionErrors({ execution: { actions: [{ call: { abi: [entry] } }] } });
  };
  const word = (value: number) => numberToHex(value, { size: 32 });
  /** An encoding of an array whose elements all begin at one place. */
  const shared = (type: string, element: Hex): Hex => {
    const pointers = Array.from({ length: 60 }, () => word(60 * 32));
    return concatHex([toFunctionSelector(`Listed(${type})`), word(32), word(60), ...pointers, element]);
  };
  const text = concatHex([word(64), numberToHex(0, { size: 64 })]);

  test.each([
    ['texts', 'string[]', text],
    ['lists of texts', 'string[][]', concatHex([word(1), word(32), text])],
    ['fixed lists of bytes', 'bytes[1][]', concatHex([word(32), text])],
  ])('is not decoded where %s share bytes of the data', (_, type, element) => {
    const data = shared(type, element);
    expect(decodeRevert(data, list(type))).toMatchObject({ name: 'Unknown', data: data.slice(0, 500) });
  });

  test.each([
    [
      '(uint256 at, string[] why)[2] since',
      [
        [
          { at: 9n, why: ['x', ''] },
          { at: 8n, why: [] },
        ],
      ],
    ],
    [
      'uint8[2][3] a, bytes b, string[0] c',
      [
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
        '0x010203',
        [],
      ],
    ],
    [
      'string[][] a, (bool, (bytes, bytes32[1])) b',
      [
        [['x'.repeat(40)], []],
        [true, ['0x', [word(7)]]],
      ],
    ],
  ])('is decoded: %s', (parameters, args) => {
    const abi: Abi = parseAbi([`error Listed(${parameters})`]);
    const data = encodeErrorResult({ abi, errorName: 'Listed', args });
    expect(
      decodeRevert(data, listActionErrors({ execution: { actions: [{ call: { abi } }] } })),
    ).toMatchObject({
      name: 'Listed',
    });
  });

  test.each([
    ['a type of very many parts', [{ type: 'tuple[0][]', components: Array(1_000).fill({ type: 'uint8' }) }]],
    [
      'a name of very many characters',
      [{ type: 'tuple[]', components: [{ name: 'x'.repeat(5_000), type: 'uint8' }] }],
    ],
    ['a type of very many levels', [deep(14)]],
    ['a type that is an object', [{ type: { toString: 1 } }]],
  ])('is left out with %s', (_, inputs) => {
    const abi = [{ type: 'error', name: 'Listed', inputs }];
    expect(listActionErrors({ execution: { actions: [{ call: { abi } }] } })).toEqual([]);
  });

  test('is not decoded from very long data', () => {
    const data = concatHex([toFunctionSelector('Listed(string)'), encodeText('x'.repeat(100_000))]);
    expect(size(data)).toBeGreaterThan(100_000);
    expect(decodeRevert(data, list('string'))).toMatchObject({ name: 'Unknown' });
  });

  test('makes no reason longer than a screen, whatever the document calls it', () => {
    const named = (name: string) => [{ type: 'error', name, inputs: [] }];
    const list = (abi: object[]) => listActionErrors({ execution: { actions: [{ call: { abi } }] } });
    expect(list(named('x'.repeat(1_000)))).toEqual([]);
    expect(list(named('x'.repeat(100)))).toHaveLength(1);
    const type = Array.from({ length: 100 }, () => 'uint256').join(',');
    const abi = parseAbi([`error Listed(${type})`]) as Abi;
    const args = Array.from({ length: 100 }, () => 2n ** 256n - 1n);
    const { message, args: shown = [] } = decodeRevert(
      encodeErrorResult({ abi, errorName: 'Listed', args }),
      list([...abi]),
    );
    expect(message.length).toBe(500);
    expect(shown).toHaveLength(100);
  });

  test('is left out if a type has very many dimensions', () => {
    const type = `uint8${'[1]'.repeat(1_000)}`;
    expect(list(type)).toEqual([]);
    expect(list('tuple', [{ name: 'b', type }])).toEqual([]);
  });
});

function encodeText(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text]);
}

describe('every reason of the protocol has words', () => {
  const declared = [...agreementEngineAbi, ...agreementFactoryAbi].filter((entry) => entry.type === 'error');
  const samples: Record<string, unknown> = {
    uint256: 5n,
    address: target,
    bytes32: `0x${'ab'.repeat(32)}`,
    string: 'x',
  };

  test.each(
    [...new Map(declared.map((entry) => [entry.name, entry])).values()].filter(
      ({ name }) => name !== 'ActionCallFailed',
    ),
  )('$name', (entry) => {
    const args = entry.inputs.map(({ type }) => samples[type]);
    const abi: Abi = [entry];
    const decoded = decodeRevert(encodeErrorResult({ abi, errorName: entry.name, args }));
    expect(decoded.name).toBe(entry.name);
    expect(decoded.explanation ?? decoded.message).toMatch(/^[A-Z].*[a-z)]\.$/);
  });

  test.each([
    'InputDef id zero',
    'Duplicate inputId',
    'InitVar id zero',
    'Unknown inputId',
    'Field type mismatch',
    'Field data is empty',
    'Invalid uint256 encoding',
    'Invalid address encoding',
    'Invalid bool encoding',
    'Invalid bytes32 encoding',
    'Invalid string encoding',
    'Required field missing',
    'Persist field type mismatch',
    'Unknown operation',
    'Condition field not found in input data',
    'Verifier not registered',
    'No valid transition',
  ])('%s', (text) => {
    expect(decodeRevert(message(text))).toEqual({
      name: 'Error',
      message: text,
      explanation: expect.any(String),
    });
  });

  test.each([
    ["the action's message", message('closed'), { name: 'Error', message: 'closed', target }],
    [
      "a panic of the action's target",
      encodeErrorResult({ abi: plain, errorName: 'Panic', args: [0x11n] }),
      { name: 'Panic', message: 'Panic arithmetic overflow or underflow', target },
    ],
    ['nothing', '0x', { name: 'Unknown', message: 'The contract reverted without a reason.', target }],
    [
      'an action that calls another agreement',
      inAction(message('No valid transition')),
      { name: 'Error', explanation: expect.any(String) },
    ],
  ] as const)('an action that fails with %s', (_, data, expected) => {
    expect(decodeRevert(inAction(data))).toMatchObject(expected);
  });

  test.each([0x00, 0x01, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51])('panic %d', (code) => {
    const data = encodeErrorResult({ abi: plain, errorName: 'Panic', args: [BigInt(code)] });
    expect(decodeRevert(data).message).toMatch(/^Panic [a-z]/);
  });

  test('a text that a caller made up has no words of ours', () => {
    expect(decodeRevert(message('constructor'))).toEqual({ name: 'Error', message: 'constructor' });
  });
});
