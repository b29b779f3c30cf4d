import type { Address, Hex } from 'viem';
import { type CallArgument, encodeCall, findFunction, parseArgument } from './functionCall.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { ActionInit } from './onChain.ts';
import { type Resolved, resolveText, type ValueSource } from './resolveText.ts';
import { parseUint256 } from './uint256.ts';
import { parseAddress } from './values.ts';

/** Reads `execution.actions`: calls that the agreement makes when an input is accepted in a state. */
export function compileActions(agreement: JsonCursor, values: ValueSource): ActionInit[] {
  const actions = agreement.at('execution').at('actions').items();
  return actions
    .map((action) => compileAction({ agreement, action, values }))
    .filter((action) => action !== undefined);
}

/** State and input that set an action off; what is not text is refused. */
export function readOccasion(action: JsonCursor): { from: string | undefined; input: string | undefined } {
  const when = action.member('when');
  return { from: when.member('from').text(), input: when.at('input').text() };
}

type ActionPlace = { agreement: JsonCursor; action: JsonCursor; values: ValueSource };

/** Undefined where something was refused, or depends on values that are not there. */
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
    resolved.refuse('must be an address, all in lower case or with a correct checksum');
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
  const called = findFunction(
    abi.map((item) => item.value),
    method,
  );
  if (called === undefined) {
    call.at('abi').refuse(`has no function called ${JSON.stringify(method)}`);
    return undefined;
  }
  const places = call.at('args').items();
  if (places.length !== called.types.length) {
    call.at('args').refuse(`must have as many items as the function has parameters, ${called.types.length}`);
    return undefined;
  }
  const args = called.types.map((type, index) =>
    compileArgument({ agreement, place: places[index], values, type }),
  );
  return args.every((arg) => arg !== undefined) ? encodeCall(called, args) : undefined;
}

type ArgumentPlace = {
  agreement: JsonCursor;
  place: JsonCursor | undefined;
  values: ValueSource;
  type: string;
};

function compileArgument({ agreement, place, values, type }: ArgumentPlace): CallArgument | undefined {
  const resolved: Resolved | undefined = place && resolveText({ agreement, place, values });
  const argument = resolved && parseArgument(type, resolved.value);
  if (resolved !== undefined && argument === undefined)
    resolved.refuse(`does not fit the parameter's type, ${JSON.stringify(type)}`);
  return argument;
}
