import { readInputs } from '../../../protocol/inputDefinitions.ts';
import { JsonCursor } from '../../../protocol/jsonCursor.ts';
import { findContractReference, findVariableReference } from '../../../protocol/references.ts';
import { parseAddress, type WireValues } from '../../../protocol/values.ts';
import { quoteName } from '../quotedData.ts';

/** A call of another contract that an input triggers, as the document writes it. */
export type ActionCall = {
  /** Absent if the document's current values do not tell which contract the deployment chose. */
  readonly address?: string;
  readonly target: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** In wei. */
  readonly value?: unknown;
};

/** The call that an input triggers in a state: the last action for both, as in the contract. */
export function findCall(
  agreement: unknown,
  { state, inputId, values }: { state: string; inputId: string; values: WireValues },
): ActionCall | undefined {
  const root = new JsonCursor(agreement);
  const action = root
    .at('execution')
    .at('actions')
    .items()
    .findLast((item) => {
      const when = item.at('when');
      return when.at('from').value === state && when.at('input').value === inputId;
    });
  if (!action) return undefined;
  const call = action.at('call');
  const target = String(call.at('target').value);
  const address = findAddress(root, { target, values });
  const amount = call.at('value');
  return {
    ...(address !== undefined && { address }),
    target,
    method: String(call.at('method').value),
    args: call
      .at('args')
      .items()
      .map(({ value }) => value),
    ...(!amount.isAbsent && { value: amount.value }),
  };
}

/** The call as a sentence. */
export function tellCall({ address, target, method, args, value }: ActionCall): string {
  const at = address === undefined ? '' : ` at ${address}`;
  const given = args.length === 0 ? 'without arguments' : `with ${args.map(tellArgument).join(', ')}`;
  const paid = value === undefined ? '' : `, and pays it ${quoteName(String(value))} wei`;
  return `The agreement then calls ${quoteName(method)} of the contract ${quoteName(target)}${at} ${given}${paid}.`;
}

const tellArgument = (argument: unknown) =>
  quoteName(typeof argument === 'string' ? argument : JSON.stringify(argument));

/** The contract keeps the target of its deployment: a variable that inputs can change no longer tells it. */
function findAddress(
  root: JsonCursor,
  { target, values }: { target: string; values: WireValues },
): string | undefined {
  const variable = findVariableReference(target);
  if (variable !== undefined) {
    const canChange = readInputs(root).some(({ fields }) => fields.some(({ name }) => name === variable));
    return canChange || !Object.hasOwn(values, variable) ? undefined : parseAddress(values[variable]);
  }
  const contract = findContractReference(target);
  return parseAddress(
    contract === undefined ? target : root.at('contracts').at(contract).at('address').value,
  );
}
