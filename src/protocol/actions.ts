import type { Address, Hex } from 'viem';
import {
  type CallArgument,
  chooseFunction,
  coerceArgument,
  encodeCall,
  listFunctions,
  parseArgument,
  type Scalar,
} from './functionCall.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { ActionInit } from './onChain.ts';
import { quote } from './quote.ts';
import { type Resolved, resolveText, type ValueSource } from './resolveText.ts';
import { parseUint256 } from './uint256.ts';
import { parseAddress } from './values.ts';

/** Reads `execution.actions`: calls that the agreement makes when it accepts an input in a state. */
export function compileActions(agreement: JsonCursor, values: ValueSource): ActionInit[] {
  const actions = agreement.at('execution').at('actions').items();
  return actions
    .map((action) => compileAction({ agreement, action, values }))
    .filter((action) => action !== undefined);
}

/** The state and input that trigger an action; a value that is not text is refused. */
export function readOccasion(action: JsonCursor): { from: string | undefined; input: string | undefined } {
  const when = action.member('when');
  return { from: when.member('from').text(), input: when.at('input').text() };
}

/** Whether the agreement makes a call when it accepts the input in some state. */
export function hasAction(agreement: JsonCursor, inputId: string): boolean {
  const actions = agreement.at('execution').at('actions').items();
  return actions.some((action) => action.at('when').at('input').value === inputId);
}

type ActionPlace = { agreement: JsonCursor; action: JsonCursor; values: ValueSource };

/** Undefined if something was refused or depends on missing values. */
function compileAction({ agreement, action, values }: ActionPlace): ActionInit | undefined {
  const { from, input } = readOccasion(action);
  const call = action.member('call');
  if (call.member('type').value !== 'evmCall') call.at('type').refuse('must be evmCall');
  const target = compileTarget({ agreement, call, values });
  const value = compileAmount(call.at('value'));
  const data = compileData({ agreement, call, values });
  if (from === undefined || input === undefined) return undefined;
  if (target === undefined || value === undefined || data === undefined) return undefined;
  return { fromState: nameHash(from), inputId: nameHash(input), target, value, data };
}

type CallPlace = { agreement: JsonCursor; call: JsonCursor; values: ValueSource };

function compileTarget({ agreement, call, values }: CallPlace): Address | undefined {
  const place = call.at('target');
  if (place.text() === undefined) return undefined;
  const resolved = resolveText({ agreement, place, values });
  const target = parseAddress(resolved?.value);
  if (resolved !== undefined && target === undefined)
    resolved.refuse('must be an address in lower case or with a valid checksum');
  return target;
}

function compileAmount(place: JsonCursor): bigint | undefined {
  const amount = place.isAbsent ? 0n : parseUint256(place.value);
  if (amount === undefined) place.refuse('must be a whole number from 0 to 2^256 - 1');
  return amount;
}

function compileData({ agreement, call, values }: CallPlace): Hex | undefined {
  const method = call.at('method').text();
  const abi = call.at('abi').items();
  if (method === undefined) return undefined;
  const functions = listFunctions(
    abi.map((item) => item.value),
    method,
  );
  const places = call.at('args').items();
  const [first, ...others] = functions.filter(({ types }) => types.length === places.length);
  if (functions[0] === undefined) {
    call.at('abi').refuse(`has no function called ${quote(method)}`);
    return undefined;
  }
  if (first === undefined) {
    const count = functions[0].types.length;
    call.at('args').refuse(`must have as many items as the function has parameters, ${count}`);
    return undefined;
  }
  const args = places.map((place, at) =>
    readArgument({ agreement, place, values, type: first.types[at] ?? '' }),
  );
  const given = args.filter((arg) => arg !== undefined);
  if (given.length < args.length) return undefined;
  const called = chooseFunction(
    [first, ...others],
    given.map(({ value }) => value),
  );
  if (called === undefined) {
    call.at('abi').refuse(`has several functions called ${quote(method)} that the arguments fit alike`);
    return undefined;
  }
  const encoded = given.map((arg, at) => encodeArgument(arg, called.types[at] ?? ''));
  return encoded.every((arg) => arg !== undefined) ? encodeCall(called, encoded) : undefined;
}

type ArgumentPlace = {
  readonly agreement: JsonCursor;
  readonly place: JsonCursor;
  readonly values: ValueSource;
  /** The parameter of the first function that matches. */
  readonly type: string;
};

type Argument = { readonly value: Scalar; readonly refuse: (type: string) => void };

function readArgument({ agreement, place, values, type }: ArgumentPlace): Argument | undefined {
  if (place.text() === undefined) return undefined;
  const resolved: Resolved | undefined = resolveText({ agreement, place, values });
  if (resolved === undefined) return undefined;
  const refuse = (wanted: string) => resolved.refuse(`does not fit the parameter's type, ${quote(wanted)}`);
  const value = isScalar(resolved.value) ? coerceArgument(type, resolved.value) : undefined;
  if (value !== undefined) return { value, refuse };
  refuse(type);
  return undefined;
}

function encodeArgument({ value, refuse }: Argument, type: string): CallArgument | undefined {
  const argument = parseArgument(type, value);
  if (argument === undefined) refuse(type);
  return argument;
}

function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}
