import { type Address, encodeAbiParameters, type Hex, keccak256, toHex, zeroAddress, zeroHash } from 'viem';
import {
  applyInput,
  type Condition,
  createEngine,
  type DataField,
  type Engine,
  EngineRevert,
  encodeDataFields,
  type FieldType,
  type InputDef,
  type InputFieldDef,
  type Transition,
} from '../../../src/protocol/index.ts';
import { pick } from '../../support/random.ts';
import { encodeAllowedUnusually, encodeFieldsUnusually, encodeTextUnusually } from './encodeUnusually.ts';
import {
  actors,
  emptyAddress,
  funds,
  type ModelCase,
  outside,
  precompiled,
  type Step,
  stateRead,
  submission,
} from './modelCase.ts';
import { mutateBytes } from './mutateBytes.ts';

type Random = () => number;

const idOf = (name: string) => keccak256(toHex(name));
const states = ['s0', 's1', 's2', 's3'].map(idOf);
const inputIds = ['i0', 'i1', 'i2', 'i3'].map(idOf);
/** The ids of both fields and variables, so that they match often. */
const fieldIds = ['a', 'b', 'c', 'd', 'e'].map(idOf);
const verifierKeys = ['v0', 'v1', 'v2'].map(idOf);
const outsideAddresses: Address[] = [...outside.keys(), emptyAddress, precompiled];
const addresses: Address[] = [...actors.map(({ address }) => address), emptyAddress, zeroAddress];
/** Accounts that send transactions without being able to sign. */
const contracts: Address[] = [...outside.keys(), precompiled];
const numbers = [
  ...[0n, 1n, 2n, 5n, 9n, 10n, 11n, 40n, 2n ** 63n, 2n ** 64n, 2n ** 128n, 2n ** 255n],
  ...[2n ** 255n - 1n, 2n ** 256n - 2n, 2n ** 256n - 1n],
];
const texts = [
  '',
  'yes',
  'Yes',
  'no',
  'éclat',
  'ten bytes!',
  'x'.repeat(31),
  'x'.repeat(32),
  'y'.repeat(33),
  'z'.repeat(64),
  '\u0000',
  // One letter in two forms of Unicode, and half of a pair of surrogates.
  '\u00e9',
  'e\u0301',
  '\ud800',
  'long '.repeat(400),
  '🎨'.repeat(10),
];
const actionData: Hex[] = [
  '0x',
  '0x01020304',
  stateRead,
  `${submission}${encodeAbiParameters([{ type: 'bytes32' }, { type: 'bytes' }], [zeroHash, '0x']).slice(2)}`,
  `0x${'5a'.repeat(1_000)}`,
];
const fieldTypes: FieldType[] = [0, 1, 2, 3, 4];
const usualTypes: FieldType[] = [0, 1, 2, 2, 0];
/** Ops by the type of their field. */
const opsByType: Readonly<Record<number, readonly number[]>> = {
  0: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  1: [0, 1, 2, 3],
  2: [14, 15],
};
const variableOps = new Set([3, 9, 10, 11, 12, 13, 15]);

/**
 * Generates a case; the same random numbers give the same case. Most parts are valid, so that cases also
 * reach late checks.
 */
export function generateCase(random: Random): ModelCase {
  const parameters = generateParameters(random);
  const steps: Step[] = [];
  let engine: Engine;
  try {
    engine = createEngine(parameters);
  } catch (error) {
    if (error instanceof EngineRevert) return { parameters, steps };
    throw error;
  }
  const count = 2 + Math.floor(random() * 7);
  for (let index = 0; index < count; index++) {
    const step = generateStep(random, parameters, engine);
    steps.push(step);
    const { permit, ...call } = step;
    // Good enough to follow the agreement's approximate state.
    const sender = permit === undefined ? call.sender : (actors[permit.signer]?.address ?? call.sender);
    const outcome = applyInput(engine, { ...call, sender, time: 0n });
    if (outcome.ok) engine = outcome.engine;
  }
  return { parameters, steps };
}

function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

function times<Thing>(random: Random, most: number, make: () => Thing): Thing[] {
  return Array.from({ length: Math.floor(random() * (most + 1)) }, make);
}

function generateParameters(random: Random): ModelCase['parameters'] {
  const keys = chance(random, 0.05) ? [...verifierKeys, ...verifierKeys] : verifierKeys;
  const verifiers = (chance(random, 0.2) ? keys : []).map((key) => ({
    key,
    verifier: chance(random, 0.05) ? zeroAddress : pick(random, outsideAddresses),
  }));
  const ids = inputIds.slice(0, 1 + Math.floor(random() * inputIds.length));
  if (chance(random, 0.01)) ids.push(pick(random, [zeroHash, ...ids]));
  const inputDefs = chance(random, 0.005) ? [] : ids.map((id) => generateInputDef(random, { id, verifiers }));
  return {
    owner: chance(random, 0.01) ? zeroAddress : pick(random, actors).address,
    initialState: chance(random, 0.02) ? pick(random, [zeroHash, ...inputIds]) : pick(random, states),
    inputDefs,
    transitions: generateTransitions(random, ids),
    initVars: [
      ...fieldIds.filter(() => chance(random, 0.6)),
      ...times(random, 2, () => pick(random, fieldIds)),
    ].map((id) => generateInitVar(random, id)),
    verifiers,
    actions: times(random, chance(random, 0.2) ? 4 : 0, () => ({
      fromState: pick(random, states),
      inputId: pick(random, ids),
      target: chance(random, 0.03) ? zeroAddress : pick(random, outsideAddresses),
      value: chance(random, 0.2) ? pick(random, [1n, funds / 2n, funds + 1n, 2n ** 256n - 1n]) : 0n,
      data: pick(random, actionData),
    })),
  };
}

function generateTransitions(random: Random, ids: readonly Hex[]): Transition[] {
  const dense = ids.flatMap((inputId) =>
    states.filter(() => chance(random, 0.6)).map((fromState) => ({ fromState, inputId })),
  );
  const more = times(random, 2, () => ({ fromState: pick(random, states), inputId: pick(random, ids) }));
  const last = chance(random, 0.03) ? [zeroHash, ...inputIds] : [];
  return [...dense, ...more].map((transition) => ({
    ...transition,
    toState: pick(random, [...states, ...last]),
  }));
}

/**
 * Usually the same type for the same id, so that declarations, submissions, stored values and comparisons fit
 * together.
 */
function generateType(random: Random, id: Hex): FieldType {
  return chance(random, 0.9) ? (usualTypes[fieldIds.indexOf(id)] ?? 0) : pick(random, fieldTypes);
}

function generateInitVar(random: Random, variableId: Hex): DataField {
  const id = chance(random, 0.005) ? zeroHash : variableId;
  const fType = chance(random, 0.005) ? 5 : generateType(random, id);
  const data = generateData(random, fType);
  return { id, fType, data: chance(random, 0.02) ? mutateBytes(random, data) : data };
}

function generateInputDef(
  random: Random,
  { id, verifiers }: { id: Hex; verifiers: ModelCase['parameters']['verifiers'] },
): InputDef {
  const all = times(random, chance(random, 0.03) ? 20 : 4, () => generateFieldDef(random));
  const distinct = all.filter(
    ({ fieldId }, at) => all.findIndex((field) => field.fieldId === fieldId) === at,
  );
  const fields = chance(random, 0.1) ? all : distinct;
  const conditions = times(random, chance(random, 0.03) ? 12 : 3, () => generateCondition(random, fields));
  const known = verifiers.map(({ key }) => key);
  const keys = chance(random, 0.05) ? verifierKeys : known;
  return {
    id,
    fields,
    conditions,
    verifierKeys: keys.length === 0 ? [] : times(random, 2, () => pick(random, keys)),
  };
}

function generateFieldDef(random: Random): InputFieldDef {
  const fieldId = chance(random, 0.01) ? zeroHash : pick(random, fieldIds);
  return {
    fieldId,
    fType: generateType(random, fieldId),
    required: chance(random, 0.7),
    persist: chance(random, 0.35),
  };
}

function generateCondition(random: Random, fields: readonly InputFieldDef[]): Condition {
  if (chance(random, fields.length === 0 ? 0.9 : 0.3)) return generateSenderCondition(random);
  const field = fields.length > 0 && chance(random, 0.92) ? pick(random, fields) : undefined;
  const fieldId = field?.fieldId ?? pick(random, fieldIds);
  const fitting = opsByType[field?.fType ?? pick(random, [0, 1, 2])];
  const op = fitting === undefined || chance(random, 0.06) ? generateOp(random) : pick(random, fitting);
  const operand = generateOperand(random, op);
  // Only the first word of a number, an address or an id is read.
  const longer = chance(random, 0.03)
    ? (`${operand}${'ee'.repeat(pick(random, [1, 31, 32]))}` as const)
    : operand;
  return { op, fieldId, bytesArg: damage(random, 0.04, longer) };
}

/** Usually a variable of the type that the op compares, sometimes any variable. */
function generateVariable(random: Random, op: number): Hex {
  const fitting = fieldIds.filter((_, at) => opsByType[usualTypes[at] ?? 0]?.includes(op));
  return pick(random, chance(random, 0.9) ? fitting : fieldIds);
}

function generateOp(random: Random): number {
  return chance(random, 0.02) ? pick(random, [18, 19, 255]) : Math.floor(random() * 16);
}

function generateOperand(random: Random, op: number): Hex {
  if (variableOps.has(op)) return generateVariable(random, op);
  if (op <= 1) return encodeNumber(pick(random, [0n, 1n, 3n, 6n, 10n, 32n, 33n, 2n ** 256n - 1n]));
  if (op === 2) return generateData(random, 1);
  return op === 14 ? encodeAddress(pick(random, addresses)) : encodeNumber(pick(random, numbers));
}

function generateSenderCondition(random: Random): Condition {
  // What these ops do not read may be anything.
  const unread = chance(random, 0.1) ? pick(random, [zeroHash, ...fieldIds]) : undefined;
  if (chance(random, 0.5)) {
    const fieldId = chance(random, 0.02) ? zeroHash : pick(random, fieldIds);
    return { op: 16, fieldId, bytesArg: unread ?? '0x' };
  }
  const variables = times(random, 2, () => pick(random, fieldIds));
  const literals = times(random, chance(random, 0.05) ? 40 : 3, () => pick(random, addresses));
  const bytesArg = chance(random, 0.2)
    ? encodeAllowedUnusually(random, { variables, literals })
    : encodeAbiParameters([{ type: 'bytes32[]' }, { type: 'address[]' }], [variables, literals]);
  return { op: 17, fieldId: unread ?? zeroHash, bytesArg: damage(random, 0.08, bytesArg) };
}

const noInput: InputDef = { id: zeroHash, fields: [], conditions: [], verifierKeys: [] };

function generateStep(random: Random, parameters: ModelCase['parameters'], engine: Engine): Step {
  const { inputDefs, transitions } = parameters;
  const leading = inputDefs.filter(({ id }) =>
    transitions.some(({ fromState, inputId }) => fromState === engine.state && inputId === id),
  );
  const known = inputDefs.length > 0 ? inputDefs : [noInput];
  const definition = pick(random, leading.length > 0 && chance(random, 0.9) ? leading : known);
  const inputId = chance(random, 0.02) ? pick(random, [zeroHash, ...inputIds]) : definition.id;
  const fields = generateFields(random, definition, engine);
  const encoded = chance(random, 0.25) ? encodeFieldsUnusually(random, fields) : encodeDataFields(fields);
  const payload = chance(random, 0.005) ? '0x' : damage(random, 0.15, encoded);
  const sender = generateSender(random, definition, engine);
  const signer = actors.findIndex(({ address }) => address.toLowerCase() === sender.toLowerCase());
  if (signer < 0 || chance(random, 0.6)) return { inputId, payload, sender };
  const permit = {
    signer,
    nonceOffset: chance(random, 0.08) ? pick(random, [-1, 1, 2]) : 0,
    secondsLeft: chance(random, 0.1) ? pick(random, [-1, 0, 1, 2 ** 53]) : 3_600,
  };
  const submitter = chance(random, 0.1)
    ? pick(random, [zeroAddress, ...contracts])
    : pick(random, actors).address;
  return { inputId, payload, sender: submitter, permit };
}

/** Often a sender who may submit. */
function generateSender(random: Random, { conditions }: InputDef, { variables }: Engine): Address {
  const named = conditions.filter(({ op }) => op === 16).map(({ fieldId }) => variables.get(fieldId));
  const wanted = named.flatMap((variable): Address[] =>
    variable === undefined || variable === 'unknown' || variable.fType !== 2
      ? []
      : [`0x${variable.data.slice(-40)}`],
  );
  return wanted.length > 0 && chance(random, 0.85)
    ? pick(random, wanted)
    : pick(random, chance(random, 0.05) ? contracts : addresses);
}

function generateFields(random: Random, definition: InputDef, engine: Engine): DataField[] {
  const declared = definition.fields.filter(({ required }) => chance(random, required ? 0.96 : 0.6));
  const fields = declared.map(({ fieldId, fType }) => {
    const actual = chance(random, 0.03) ? pick(random, fieldTypes) : fType;
    return {
      id: fieldId,
      fType: actual,
      data: generateValue(random, actual, { fieldId, definition, engine }),
    };
  });
  const many = chance(random, 0.02) ? 60 : 2;
  const more = times(random, chance(random, 0.25) ? many : 0, () => {
    const id = chance(random, 0.02) ? zeroHash : pick(random, fieldIds);
    const fType = generateType(random, id);
    return { id, fType, data: generateData(random, fType) };
  });
  const all = chance(random, 0.5) ? [...fields, ...more] : [...more, ...fields];
  return all.map((field) => ({ ...field, data: damage(random, 0.03, field.data) }));
}

/** Often a value with which a condition of the field compares. */
function generateValue(
  random: Random,
  fType: number,
  { fieldId, definition, engine }: { fieldId: Hex; definition: InputDef; engine: Engine },
): Hex {
  const compared = definition.conditions.filter(
    (condition) => condition.fieldId === fieldId && condition.op <= 15,
  );
  if (compared.length === 0 || chance(random, 0.3)) return generateData(random, fType);
  const { op, bytesArg } = pick(random, compared);
  const variable = engine.variables.get(bytesArg);
  if (variableOps.has(op) && variable !== undefined && variable !== 'unknown')
    return nearby(random, fType, variable.data);
  if (op <= 1 && fType === 1) return generateData(random, fType);
  return nearby(random, fType, bytesArg);
}

function nearby(random: Random, fType: number, data: Hex): Hex {
  if (fType !== 0 || data.length !== 66) return data;
  return encodeNumber(BigInt.asUintN(256, BigInt(data) + pick(random, [-1n, 0n, 0n, 1n])));
}

function generateData(random: Random, fType: number): Hex {
  if (fType === 0) return encodeNumber(pick(random, numbers));
  if (fType === 1) {
    const text = pick(random, texts);
    return chance(random, 0.2) ? encodeTextUnusually(random, text) : encodeText(text);
  }
  if (fType === 2) return encodeAddress(pick(random, addresses));
  return fType === 3 ? encodeNumber(pick(random, [0n, 1n, 1n, 0n, 2n])) : pick(random, fieldIds);
}

function damage(random: Random, probability: number, data: Hex): Hex {
  return chance(random, probability) ? mutateBytes(random, data) : data;
}

function encodeNumber(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

function encodeAddress(value: Address): Hex {
  return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`;
}

function encodeText(value: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [value]);
}
