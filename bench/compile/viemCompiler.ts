import {
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type Hex,
  keccak256,
  stringToBytes,
  zeroHash,
} from 'viem';
import { z } from 'zod';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';

/**
 * The permit's hashes of well-formed documents, computed directly with viem's general functions. It checks
 * nothing, and is the baseline for the protocol's own compiler.
 */
const definitionShape = z.looseObject({
  type: z.string(),
  validation: z
    .looseObject({
      required: z.boolean().optional(),
      min: z.coerce.bigint().optional(),
      max: z.coerce.bigint().optional(),
      minLength: z.coerce.bigint().optional(),
      maxLength: z.coerce.bigint().optional(),
    })
    .optional(),
});
type FieldDefinition = z.output<typeof definitionShape>;
const issuerShape = z.union([
  z.string(),
  z.array(z.string()),
  z.looseObject({ variable: z.string() }).transform(({ variable }) => `\${variables.${variable}}`),
]);
const inputShape = z.looseObject({
  data: z.record(z.string(), z.union([z.string(), definitionShape])).nullish(),
  schema: z.union([z.string(), z.record(z.string(), z.union([z.string(), definitionShape]))]).nullish(),
  issuer: issuerShape.nullish(),
});
export const documentShape = z.looseObject({
  variables: z.record(z.string(), definitionShape).default({}),
  contracts: z.record(z.string(), z.looseObject({ address: z.string() })).default({}),
  execution: z.looseObject({
    initialize: z.looseObject({
      initialState: z.string(),
      data: z.record(z.string(), z.unknown()).default({}),
    }),
    inputs: z.record(z.string(), inputShape),
    transitions: z.array(
      z.looseObject({
        from: z.string(),
        to: z.string(),
        conditions: z.array(z.looseObject({ input: z.string() })),
      }),
    ),
    actions: z
      .array(
        z.looseObject({
          when: z.looseObject({ from: z.string(), input: z.string() }),
          call: z.looseObject({
            target: z.string(),
            value: z.coerce.bigint().default(0n),
            abi: z.array(
              z.object({
                type: z.literal('function'),
                name: z.string(),
                inputs: z.array(z.object({ name: z.string().default(''), type: z.string() })),
              }),
            ),
            method: z.string(),
            args: z.array(z.unknown()),
          }),
        }),
      )
      .default([]),
  }),
});
export type AuthoredDocument = z.output<typeof documentShape>;
export type Values = Readonly<Record<string, string | boolean>>;

const create = getAbiItem({ abi: agreementFactoryAbi, name: 'createAgreement' });
const hashName = (name: string): Hex => keccak256(stringToBytes(name));
const types: Readonly<Record<string, number>> = { uint256: 0, address: 2, bool: 3, bytes32: 4, txHash: 4 };
const typeOf = (definition: FieldDefinition) => types[definition.type] ?? 1;

function referenceOf(text: unknown): string | undefined {
  return typeof text === 'string' ? /\$\{variables\.(\w+)/.exec(text)?.[1] : undefined;
}

function encode(fType: number, value: string | boolean | bigint | undefined): Hex {
  if (fType === 0) return encodeAbiParameters([{ type: 'uint256' }], [BigInt(value ?? 0)]);
  if (fType === 2) return encodeAbiParameters([{ type: 'address' }], [getAddress(String(value))]);
  if (fType === 3) return encodeAbiParameters([{ type: 'bool' }], [value === true]);
  if (fType === 4) return encodeAbiParameters([{ type: 'bytes32' }], [`0x${String(value).slice(2)}`]);
  return encodeAbiParameters([{ type: 'string' }], [String(value)]);
}

/**
 * The addresses that the issuer names: a single variable is compared directly, several names become a list.
 */
function compileIssuer(issuer: AuthoredDocument['execution']['inputs'][string]['issuer']) {
  const texts = typeof issuer === 'string' ? [issuer] : (issuer ?? []);
  const named = texts.filter((text) => text !== '');
  const names = named.map(referenceOf).filter((name) => name !== undefined);
  const literals = named.filter((text) => referenceOf(text) === undefined).map((text) => getAddress(text));
  const [only] = names;
  if (only === undefined && literals.length === 0) return [];
  if (only !== undefined && named.length === 1)
    return [{ op: 16, fieldId: hashName(only), bytesArg: '0x' as const }];
  const allowed = [{ type: 'bytes32[]' }, { type: 'address[]' }] as const;
  return [
    { op: 17, fieldId: zeroHash, bytesArg: encodeAbiParameters(allowed, [names.map(hashName), literals]) },
  ];
}

/** The permit's hashes, with the typed data's names. */
export function compileWithViem(agreement: unknown, document: AuthoredDocument, values: Values) {
  const { variables, execution, contracts } = document;
  const resolve = (text: unknown): unknown => {
    const name = referenceOf(text);
    if (name !== undefined) return values[name];
    const contract = typeof text === 'string' ? /\$\{contracts\.(\w+)\.address\}/.exec(text)?.[1] : undefined;
    return contract === undefined ? text : contracts[contract]?.address;
  };

  const inputDefs = Object.entries(execution.inputs).map(([id, input]) => {
    const definitions = input.data ?? (typeof input.schema === 'object' ? input.schema : undefined) ?? {};
    const fields = Object.entries(definitions).map(([key, definition]) => {
      const name = referenceOf(definition) ?? key;
      const variable = typeof definition === 'string' ? variables[name] : undefined;
      const declared: FieldDefinition =
        variable ?? (typeof definition === 'string' ? { type: 'string' } : definition);
      return {
        fieldId: hashName(name),
        fType: typeOf(declared),
        required: declared.validation?.required !== false,
        persist: variable?.type === 'address',
        rules: declared.validation,
      };
    });
    const bounds = fields.flatMap(({ fieldId, fType, rules }) => {
      const known = [
        { type: 0, limit: rules?.min, op: 6 },
        { type: 0, limit: rules?.max, op: 8 },
        { type: 1, limit: rules?.minLength, op: 0 },
        { type: 1, limit: rules?.maxLength, op: 1 },
      ];
      return known.flatMap(({ type, limit, op }) =>
        type === fType && limit !== undefined ? [{ op, fieldId, bytesArg: encode(0, limit) }] : [],
      );
    });
    return {
      id: hashName(id),
      fields: fields.map(({ rules: _, ...field }) => field),
      conditions: [...bounds, ...compileIssuer(input.issuer)],
      verifierKeys: [],
    };
  });

  const initVars = Object.values(execution.initialize.data).flatMap((text) => {
    const name = referenceOf(text);
    const variable = name === undefined ? undefined : variables[name];
    if (name === undefined || variable === undefined) return [];
    const fType = typeOf(variable);
    return [{ id: hashName(name), fType, data: encode(fType, values[name]) }];
  });

  const actions = execution.actions.map(({ when, call }) => {
    const item = call.abi.find(({ name }) => name === call.method);
    if (!item) throw new Error(`no function ${call.method}`);
    const args = call.args.map((arg, at) => {
      const value = resolve(arg);
      return item.inputs[at]?.type.startsWith('uint') ? BigInt(String(value)) : value;
    });
    const abi = [{ ...item, outputs: [], stateMutability: 'nonpayable' as const }];
    return {
      fromState: hashName(when.from),
      inputId: hashName(when.input),
      target: getAddress(String(resolve(call.target))),
      value: call.value,
      data: encodeFunctionData({ abi, functionName: call.method, args }),
    };
  });

  const transitions = execution.transitions.map(({ from, to, conditions }) => ({
    fromState: hashName(from),
    toState: hashName(to),
    inputId: hashName(conditions[0]?.input ?? ''),
  }));
  const [, , , inputDefsType, transitionsType, initVarsType, verifiersType, actionsType] = create.inputs;
  return {
    docHash: keccak256(stringToBytes(JSON.stringify(agreement))),
    initialState: hashName(execution.initialize.initialState),
    inputDefsHash: keccak256(encodeAbiParameters([inputDefsType], [inputDefs])),
    transitionsHash: keccak256(encodeAbiParameters([transitionsType], [transitions])),
    initVarsHash: keccak256(encodeAbiParameters([initVarsType], [initVars])),
    verifiersHash: keccak256(encodeAbiParameters([verifiersType], [[]])),
    actionsHash: keccak256(encodeAbiParameters([actionsType], [actions])),
  };
}
