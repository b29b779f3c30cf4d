import type { Address, Hex } from 'viem';
import { type Condition, type DataField, FieldType, type InputDef } from '../onChain.ts';
import * as Op from '../op.ts';
import {
  arrayAt,
  decodeAddress,
  decodeText,
  decodeWord,
  placeAt,
  requireAddress,
  requireHead,
  wordAt,
} from './decoder.ts';
import type { Engine, StoredVariable } from './engine.ts';
import { fieldTypeName } from './fieldData.ts';
import { type FieldOp, fieldOps } from './ops.ts';
import { EngineRevert, refuseFor, shownAddress } from './reverts.ts';

type Variables = Engine['variables'];

/** Thrown if the answer depends on a variable with an unknown value. */
export class UnknownVariable extends Error {
  readonly id: Hex;

  constructor(id: Hex) {
    super('A stored variable is not known.');
    this.id = id;
  }
}

export type CheckedInput = {
  readonly definition: InputDef;
  /** Keyed by id; the first field of each id. */
  readonly submitted: ReadonlyMap<string, DataField>;
  /** Includes what this input has stored already. */
  readonly variables: Variables;
  readonly sender: Address;
};

/**
 * Checks the conditions of an input in order. A condition about a field looks at the submitted field,
 * declared or not. It is skipped if a declared, so optional, field was left out.
 */
export function checkConditions({ definition, submitted, variables, sender }: CheckedInput): void {
  for (const condition of definition.conditions) {
    if (condition.op === Op.SENDER_EQ_VAR_ADDRESS) requireSender(condition.fieldId, variables, sender);
    else if (condition.op === Op.SENDER_IN_ALLOWED_ADDRESSES) requireAllowed(condition, variables, sender);
    else {
      const field = submitted.get(condition.fieldId);
      if (field !== undefined) requireField(condition, field, variables);
      else if (!isDeclared(definition, condition.fieldId))
        refuseFor('Condition field not found in input data');
    }
  }
}

function isDeclared({ fields }: InputDef, fieldId: Hex): boolean {
  return fields.some((field) => field.fieldId === fieldId);
}

function requireSender(variableId: Hex, variables: Variables, sender: Address): void {
  const expected = loadAddress(variables, variableId);
  if (isSame(sender, expected)) return;
  throw new EngineRevert({
    name: 'SenderAddressMismatch',
    args: [shownAddress(sender), shownAddress(`0x${expected.slice(24)}`)],
  });
}

/** Variables are read in order and before the literals; reading stops at the first match. */
function requireAllowed({ bytesArg }: Condition, variables: Variables, sender: Address): void {
  requireHead(bytesArg, 2);
  const ids = wordsAt(bytesArg, placeAt(bytesArg, 0));
  const literals = wordsAt(bytesArg, placeAt(bytesArg, 32)).map(requireAddress);
  if (ids.some((id) => isSame(sender, loadAddress(variables, `0x${id}`)))) return;
  if (literals.some((literal) => isSame(sender, literal))) return;
  throw new EngineRevert({ name: 'SenderAddressNotAllowed', args: [shownAddress(sender)] });
}

function wordsAt(data: Hex, at: number): string[] {
  const { start, length } = arrayAt(data, at);
  return Array.from({ length }, (_, index) => wordAt(data, start + index * 32));
}

function requireField(condition: Condition, field: DataField, variables: Variables): void {
  const rule = fieldOps.get(condition.op) ?? refuseFor('Unknown operation');
  requireType(rule.type, field.fType);
  if (!holds(condition, { rule, data: field.data, variables })) {
    throw new EngineRevert({ name: 'ComparisonFailed', args: [rule.shownAs, fieldTypeName(rule.type)] });
  }
}

type Comparison = { readonly rule: FieldOp; readonly data: Hex; readonly variables: Variables };

/**
 * Numbers and addresses compare as their digits do, because all words have the same length. An undeclared
 * field may not decode; for a text, the variable is read before that.
 */
function holds(condition: Condition, { rule, data, variables }: Comparison): boolean {
  const { op } = condition;
  if (rule.type === FieldType.STRING) {
    const operand = loadOperand(condition, rule, variables);
    const text = decodeText(data);
    const length = (text.length / 2).toString(16).padStart(64, '0');
    if (op === Op.STRING_MIN_LENGTH) return length >= decodeWord(operand);
    if (op === Op.STRING_MAX_LENGTH) return length <= decodeWord(operand);
    return text === decodeText(operand);
  }
  if (rule.type === FieldType.ADDRESS) {
    return decodeAddress(data) === decodeAddress(loadOperand(condition, rule, variables));
  }
  return compareNumbers(op, decodeWord(data), decodeWord(loadOperand(condition, rule, variables)));
}

/** The encoded constant, or the value of the variable that the condition names. */
function loadOperand({ bytesArg }: Condition, { readsVariable, type }: FieldOp, variables: Variables): Hex {
  return readsVariable ? load(variables, `0x${decodeWord(bytesArg)}`, type).data : bytesArg;
}

function compareNumbers(op: number, value: string, operand: string): boolean {
  switch (op) {
    case Op.UINT_EQ_CONST:
    case Op.UINT_EQ_VAR:
      return value === operand;
    case Op.UINT_GT_CONST:
    case Op.UINT_GT_VAR:
      return value > operand;
    case Op.UINT_GTE_CONST:
    case Op.UINT_GTE_VAR:
      return value >= operand;
    case Op.UINT_LT_CONST:
    case Op.UINT_LT_VAR:
      return value < operand;
    default:
      return value <= operand;
  }
}

function loadAddress(variables: Variables, id: Hex): string {
  return decodeAddress(load(variables, id, FieldType.ADDRESS).data);
}

function load(variables: Variables, id: Hex, expected: FieldType): StoredVariable {
  const variable = variables.get(id);
  if (variable === undefined) throw new EngineRevert({ name: 'VarNotSet', args: [id] });
  if (variable === 'unknown') throw new UnknownVariable(id);
  requireType(expected, variable.fType);
  return variable;
}

function requireType(expected: FieldType, actual: number): void {
  if (actual === expected) return;
  throw new EngineRevert({ name: 'TypeMismatch', args: [fieldTypeName(expected), fieldTypeName(actual)] });
}

/** An address in lower case against the digits of its word. */
function isSame(address: Address, word: string): boolean {
  return word.endsWith(address.slice(2));
}
