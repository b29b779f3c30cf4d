import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddress,
  keccak256,
  toHex,
} from 'viem';

/** A document made by `randomDocument`: complete, so that reading it needs no checks. */
export interface WholeDocument {
  metadata: { id?: string };
  variables: Record<string, Definition>;
  contracts: Record<string, { address: string }>;
  execution: {
    states: Record<string, object>;
    initialize: { initialState: string; data: Record<string, unknown> };
    inputs: Record<string, { issuer?: unknown; data?: Record<string, unknown>; schema?: unknown }>;
    transitions: { from: string; to: string; conditions: { input: string }[] }[];
    actions: Action[];
  };
}

export interface Definition {
  type?: string;
  validation?: {
    required?: boolean;
    min?: number | string;
    max?: number | string;
    minLength?: number;
    maxLength?: number;
  };
}

export interface Action {
  when: { from: string; input: string };
  call: { type: string; target: string; value?: string; abi: Abi; method: string; args: string[] };
}

export type Values = Record<string, string | boolean>;

const types = {
  uint256: 0,
  string: 1,
  signature: 1,
  dateTime: 1,
  address: 2,
  bool: 3,
  bytes32: 4,
  txHash: 4,
};
const words = ['uint256', 'string', 'address', 'bool', 'bytes32'] as const;
const id = (name: string): Hex => keccak256(toHex(name));

/** A second implementation of the rules, as simple as possible. It uses only viem's encoding. */
export function compileByReference(document: WholeDocument, values: Values, docUri?: string) {
  const { variables, execution, metadata } = document;
  return {
    docUri: docUri ?? `ipfs://agreement/${metadata.id}`,
    docHash: keccak256(new TextEncoder().encode(JSON.stringify(document))),
    initialState: id(execution.initialize.initialState),
    inputDefs: Object.entries(execution.inputs).map(([name, input]) => ({
      id: id(name),
      ...compileInput(input, variables),
      verifierKeys: [],
    })),
    transitions: execution.transitions.map(({ from, to, conditions }) => ({
      fromState: id(from),
      toState: id(to),
      inputId: id(conditions[0]?.input ?? ''),
    })),
    initVars: Object.values(execution.initialize.data).flatMap((entry) => {
      const name = referenced(entry);
      const definition = name === undefined ? undefined : variables[name];
      if (name === undefined || definition === undefined) return [];
      const fType = typeOf(definition);
      return [{ id: id(name), fType, data: encode(fType, values[name]) }];
    }),
    verifiers: [],
    actions: execution.actions.map((action) => compileByViem(document, values, action)),
  };
}

/** The payload of an input: one data field for each submitted value, in the order submitted. */
export function encodeByReference(document: WholeDocument, inputId: string, submitted: Values): Hex {
  const input = document.execution.inputs[inputId];
  const fields = listFields(input ?? {}, document.variables);
  const items = Object.entries(submitted).map(([name, value]) => {
    const fType = fields.find((field) => field.name === name)?.fType ?? 1;
    return { id: id(name), fType, data: encode(fType, value) };
  });
  return encodeAbiParameters([dataFields], [items]);
}

/** The action, with its call encoded by viem. Throws if viem throws. */
export function compileByViem(document: WholeDocument, values: Values, { when, call }: Action) {
  const stand = (text: string): string | boolean => {
    const name = referenced(text);
    if (name !== undefined) return values[name] ?? '';
    const contract = /\$\{contracts\.(\w+)\.address\}/.exec(text)?.[1];
    return contract === undefined ? text : (document.contracts[contract]?.address ?? '');
  };
  const called = call.abi.filter((item) => item.type === 'function' && item.name === call.method);
  const parameters = called
    .map((item) => ('inputs' in item ? item.inputs : []))
    .find((inputs) => inputs.length === call.args.length);
  const args = call.args.map((text, at) => {
    const value = stand(text);
    const type = parameters?.[at]?.type ?? '';
    if (type === 'bool') return value === true || value === 'true';
    return /^u?int/.test(type) ? BigInt(value) : value;
  });
  const target = stand(call.target);
  if (typeof target !== 'string' || !isAddress(target)) throw new Error('no address');
  return {
    fromState: id(when.from),
    inputId: id(when.input),
    target: getAddress(target),
    value: BigInt(call.value ?? 0),
    data: encodeFunctionData({ abi: call.abi, functionName: call.method, args }),
  };
}

const dataFields = {
  type: 'tuple[]',
  components: [
    { name: 'id', type: 'bytes32' },
    { name: 'fType', type: 'uint8' },
    { name: 'data', type: 'bytes' },
  ],
} as const;

const referenced = (text: unknown) =>
  typeof text === 'string' ? /\$\{variables\.(\w+)/.exec(text)?.[1] : undefined;

function typeOf({ type }: Definition): number {
  return Object.entries(types).find(([name]) => name === type)?.[1] ?? 1;
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type ReferenceInput = WholeDocument['execution']['inputs'][string];

function listFields({ data, schema }: ReferenceInput, variables: Record<string, Definition>) {
  const definitions = data ?? (isDefinition(schema) ? schema : {});
  return Object.entries(definitions).map(([key, own]) => {
    const name = referenced(own);
    const variable = name === undefined ? undefined : variables[name];
    const definition = variable ?? (isDefinition(own) ? own : {});
    return {
      name: name ?? key,
      fType: typeOf(definition),
      validation: definition.validation ?? {},
      persist: variable?.type === 'address',
    };
  });
}

function compileInput(input: ReferenceInput, variables: Record<string, Definition>) {
  const fields = listFields(input, variables);
  const bound = (op: number, name: string, limit: number | string | undefined) =>
    limit === undefined
      ? []
      : [{ op, fieldId: id(name), bytesArg: encodeAbiParameters([{ type: 'uint256' }], [BigInt(limit)]) }];
  return {
    fields: fields.map(({ name, fType, validation, persist }) => ({
      fieldId: id(name),
      fType,
      required: validation.required ?? true,
      persist,
    })),
    conditions: [
      ...fields.flatMap(({ name, fType, validation: { min, max, minLength, maxLength } }) => {
        if (fType === 0) return [...bound(6, name, min), ...bound(8, name, max)];
        return fType === 1 ? [...bound(0, name, minLength), ...bound(1, name, maxLength)] : [];
      }),
      ...compileIssuer(input.issuer),
    ],
  };
}

function compileIssuer(issuer: unknown) {
  if (issuer === undefined || issuer === null || issuer === '') return [];
  const participant =
    isDefinition(issuer) && 'variable' in issuer ? `\${variables.${issuer.variable}}` : issuer;
  const entries: unknown[] = Array.isArray(participant) ? participant : [participant];
  const names = entries.map(referenced).filter((name) => name !== undefined);
  const literals = entries.filter(
    (entry): entry is Hex => typeof entry === 'string' && referenced(entry) === undefined,
  );
  const [only] = names;
  if (entries.length === 1 && only !== undefined) return [{ op: 16, fieldId: id(only), bytesArg: '0x' }];
  const bytesArg = encodeAbiParameters(
    [{ type: 'bytes32[]' }, { type: 'address[]' }],
    [names.map(id), literals],
  );
  return [{ op: 17, fieldId: `0x${'0'.repeat(64)}`, bytesArg }];
}

function encode(fType: number, value: string | boolean | undefined): Hex {
  const type = words[fType] ?? 'string';
  if (type === 'uint256') return encodeAbiParameters([{ type }], [BigInt(value ?? 0)]);
  if (type === 'bool') return encodeAbiParameters([{ type }], [value === true || value === 'true']);
  const text = String(value);
  const hex: Hex = `0x${text.slice(2)}`;
  return type === 'string' ? encodeAbiParameters([{ type }], [text]) : encodeAbiParameters([{ type }], [hex]);
}
