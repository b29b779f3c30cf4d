import { type Abi, decodeErrorResult, type Hex, isHex, parseAbi, toFunctionSelector } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { isBoundedEncoding } from '../../protocol/isBoundedEncoding.ts';
import { findRevertWords } from './revertWords.ts';

/** Why a call reverted, in words and in parts. */
export type RevertReason = {
  /** The error's name: `Error` for a plain message, `Panic`, a custom error's own, or `Unknown`. */
  readonly name: string;
  readonly message: string;
  /** The meaning for the sender of a permit, if the service knows the error. */
  readonly explanation?: string;
  readonly args?: readonly string[];
  /** The contract that refused an action's call. */
  readonly target?: string;
  /** The undecoded data. */
  readonly data?: string;
};

/**
 * Common errors of tokens and their libraries (ERC-6093, OpenZeppelin): documents seldom list them in their
 * ABI.
 */
const commonErrors = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error OwnableUnauthorizedAccount(address account)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error EnforcedPause()',
]);
const protocolErrors = [...agreementEngineAbi, ...agreementFactoryAbi].filter(({ type }) => type === 'error');
const knownErrors: Abi = [...protocolErrors, ...commonErrors];

const maxText = 500;
/** How many failed actions, each the reason of the one before, are looked into: a contract can make up any number. */
const mostCalls = 4;

/** Decodes a contract's revert: the protocol's errors, errors of the given ABIs, messages and panics. */
export function decodeRevert(data: Hex | undefined, actionErrors: Abi = []): RevertReason {
  return decodeCalls(data, { actionErrors, calls: mostCalls });
}

type Depth = { readonly actionErrors: Abi; readonly calls: number };

function decodeCalls(data: Hex | undefined, depth: Depth): RevertReason {
  const reason = decodeReason(data, depth);
  const explanation = findRevertWords(reason);
  return explanation === undefined || explanation === reason.message ? reason : { ...reason, explanation };
}

function decodeReason(data: Hex | undefined, { actionErrors, calls }: Depth): RevertReason {
  if (data === undefined || data === '0x')
    return { name: 'Unknown', message: 'The contract reverted without a reason.' };
  const decoded = decode(data, actionErrors);
  if (!decoded) {
    return {
      name: 'Unknown',
      message: `The contract reverted with an unknown error, ${data.slice(0, 10)}.`,
      data: cut(data),
    };
  }
  const { name, args } = decoded;
  const [first, second] = args;
  if (calls > 0 && name === 'ActionCallFailed' && typeof first === 'string' && isHex(second))
    return { ...decodeCalls(second, { actionErrors, calls: calls - 1 }), target: first };
  if (name === 'Error') return { name, message: cut(String(first)) };
  if (name === 'Panic') return { name, message: `Panic ${panicNames.get(Number(first)) ?? String(first)}` };
  // The deployed contract names the wrong comparison here, so its name explains nothing.
  if (name === 'ComparisonFailed')
    return { name, message: 'A submitted value breaks a rule of the agreement.' };
  const texts = args.map((argument) => cut(toText(argument)));
  return { name, message: cut(`${name}(${texts.join(', ')})`), args: texts };
}

/** The most errors of one document: those of its actions differ little, and people write a few dozen. */
const mostActionErrors = 256;

/**
 * The errors that a document's actions list in their ABIs, each once, and at most 256; unusable entries are
 * left out.
 */
export function listActionErrors(agreement: unknown): Abi {
  const actions = member(member(agreement, 'execution'), 'actions');
  const found = new Map<string, Abi[number]>();
  for (const action of Array.isArray(actions) ? actions : []) {
    const abi = member(member(action, 'call'), 'abi');
    for (const entry of Array.isArray(abi) ? abi : []) {
      if (!isErrorEntry(entry)) continue;
      const text = JSON.stringify(entry);
      if (text.length > longestEntry) continue;
      if (!found.has(text)) found.set(text, entry);
      if (found.size === mostActionErrors) return [...found.values()];
    }
  }
  return [...found.values()];
}

const panicNames = new Map([
  [0x00, 'unspecified'],
  [0x01, 'assertion failed'],
  [0x11, 'arithmetic overflow or underflow'],
  [0x12, 'division by zero'],
  [0x21, 'value is not a member of the enumeration'],
  [0x22, 'badly encoded storage'],
  [0x31, 'array is empty'],
  [0x32, 'array index out of bounds'],
  [0x41, 'out of memory'],
  [0x51, 'call of an unset function'],
]);

function decode(data: Hex, actionErrors: Abi): { name: string; args: readonly unknown[] } | undefined {
  const selector = data.slice(0, 10).toLowerCase();
  for (const errors of [knownErrors, actionErrors]) {
    const error = indexErrors(errors).get(selector);
    if (error && errors === actionErrors && !isDecodable(error, data)) continue;
    try {
      // Plain messages and panics are decoded without an entry.
      const { errorName, args } = decodeErrorResult({ abi: error ? [error] : [], data });
      return { name: errorName, args: args ?? [] };
    } catch {
      // An unknown error, or a badly written ABI: the raw data are shown instead.
    }
  }
  return undefined;
}

/** Hexadecimal digits. What is decoded is stored with each failure. */
const longestListed = 8_192;

/** Whoever writes a document lists any error, and a contract of theirs reverts with any data for it. */
function isDecodable(error: Abi[number], data: Hex): boolean {
  if (error.type !== 'error' || data.length > longestListed) return false;
  return isBoundedEncoding(error.inputs, `0x${data.slice(10)}`);
}

const indexes = new WeakMap<Abi, ReadonlyMap<string, Abi[number]>>();

/** The errors by their selectors, which are hashed once per list. The first of several with one selector counts. */
function indexErrors(errors: Abi): ReadonlyMap<string, Abi[number]> {
  const known = indexes.get(errors);
  if (known) return known;
  const index = new Map<string, Abi[number]>();
  for (const error of errors) {
    const selector = findSelector(error);
    if (selector !== undefined && !index.has(selector)) index.set(selector, error);
  }
  indexes.set(errors, index);
  return index;
}

/** Undefined for a badly written entry. */
function findSelector(error: Abi[number]): Hex | undefined {
  if (error.type !== 'error') return undefined;
  try {
    return toFunctionSelector({ ...error, type: 'function', outputs: [], stateMutability: 'view' });
  } catch {
    return undefined;
  }
}

function isErrorEntry(entry: unknown): entry is Abi[number] {
  return (
    member(entry, 'type') === 'error' &&
    isShortText(member(entry, 'name')) &&
    isListOfTypes(member(entry, 'inputs'))
  );
}

/** A name is stored with each failure, however often a contract causes one. */
const longestName = 100;

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestName;
}

/** In characters: each item of a list may look at all parts of its type. */
const longestEntry = 4_096;

/** Lists in lists and parts in parts: at each, reading a value looks at all that are within. */
const deepestType = 24;

/** For each dimension of an array, reading a value reads its type once more. */
const longestType = 64;

function isListOfTypes(parameters: unknown, levels = deepestType): boolean {
  if (!Array.isArray(parameters)) return false;
  return parameters.every((parameter) => {
    const [type, components] = [member(parameter, 'type'), member(parameter, 'components')];
    if (typeof type !== 'string' || type.length > longestType) return false;
    const left = levels - type.split('[').length;
    return left >= 0 && (components === undefined || isListOfTypes(components, left));
  });
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function toText(argument: unknown): string {
  if (typeof argument !== 'object') return String(argument);
  return JSON.stringify(argument, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));
}

/** Without what the database cannot look into. */
function cut(text: string): string {
  return text.slice(0, maxText).replaceAll('\0', '\uFFFD').toWellFormed();
}
