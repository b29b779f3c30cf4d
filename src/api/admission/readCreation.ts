import type pg from 'pg';
import type { Hex } from 'viem';
import { z } from 'zod';
import { isIndexAbsent } from '../../platform/database/indexAbsence.ts';
import { indexViewsSchemaName as index } from '../../platform/database/indexNames.ts';
import type { indexedAgreements } from '../../platform/database/indexView.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { ActionInit, EngineParameters } from '../../protocol/index.ts';

export type IndexedCreation = {
  /** The creating transaction: after a reorg another agreement may be at the address. */
  readonly transactionHash: Hex;
  /** All registered actions: events show them, whoever called the factory. */
  readonly actions: readonly ActionInit[];
  /** The whole creation; undefined if its call cannot be read, such as one through another contract. */
  readonly parameters: EngineParameters | undefined;
  /** Everything but the initial variables, as text. */
  readonly definition: string;
  /** In characters of all texts. */
  readonly size: number;
};

const statement = `
  select shown.transaction_hash, shown.initial_state, definition.input_defs::text, definition.transitions::text,
    definition.init_vars::text, (
      select coalesce(json_agg(json_build_object('key', key, 'verifier', verifier) order by ordinal), '[]')::text
      from ${index}.verifiers where chain_id = $1::int and agreement = $2) as verifiers, (
      select coalesce(json_agg(json_build_object('fromState', from_state, 'inputId', input_id, 'target', target,
        'value', value::text, 'data', data) order by ordinal), '[]')::text
      from ${index}.actions where chain_id = $1::int and agreement = $2) as actions
  from ${index}.agreements shown
  left join ${index}.definitions definition on definition.chain_id = $1::int and definition.agreement = $2
  where shown.chain_id = $1::int and shown.address = $2 and shown.initial_state is not null`;

type Row = RowOf<typeof indexedAgreements, 'transaction_hash'> &
  NotNull<RowOf<typeof indexedAgreements, 'initial_state'>> & {
    input_defs: string | null;
    transitions: string | null;
    init_vars: string | null;
    verifiers: string;
    actions: string;
  };

/**
 * Undefined if the index does not show the agreement.
 *
 * @param agreement.address in lower case.
 */
export async function readCreation(
  pool: pg.Pool,
  { chainId, address }: { chainId: number; address: Hex },
): Promise<IndexedCreation | undefined> {
  const [row] = await runPrepared<Row>(pool, statement, [chainId, address]);
  if (!row) return undefined;
  const { input_defs: inputDefs, transitions, init_vars: initVars } = row;
  const definition = [inputDefs, transitions, row.actions, row.verifiers].join('\n');
  const actions = actionsShape.parse(JSON.parse(row.actions));
  const common = {
    transactionHash: row.transaction_hash,
    actions,
    definition,
    size: definition.length + (initVars?.length ?? 0),
  };
  if (inputDefs === null || transitions === null || initVars === null)
    return { ...common, parameters: undefined };
  const parameters = {
    initialState: row.initial_state,
    inputDefs: inputDefsShape.parse(JSON.parse(inputDefs)),
    transitions: transitionsShape.parse(JSON.parse(transitions)),
    initVars: dataFieldsShape.parse(JSON.parse(initVars)),
    verifiers: verifiersShape.parse(JSON.parse(row.verifiers)),
    actions,
  };
  return { ...common, parameters };
}

/**
 * Undefined if the index does not show the creation that a record was folded from.
 *
 * @param record.address in lower case.
 */
export async function findCreationOf(
  pool: pg.Pool,
  { chainId, address, deployTxHash }: { chainId: number; address: Hex | null; deployTxHash: string | null },
): Promise<IndexedCreation | undefined> {
  if (address === null) return undefined;
  try {
    const creation = await readCreation(pool, { chainId, address });
    return creation?.transactionHash === deployTxHash ? creation : undefined;
  } catch (error) {
    if (isIndexAbsent(error)) return undefined;
    throw error;
  }
}

const hexShape = z.templateLiteral(['0x', z.string()]);
const dataFieldsShape = z.array(z.object({ id: hexShape, fType: z.int(), data: hexShape }));
const inputDefsShape = z.array(
  z.object({
    id: hexShape,
    fields: z.array(
      z.object({ fieldId: hexShape, fType: z.int(), required: z.boolean(), persist: z.boolean() }),
    ),
    conditions: z.array(z.object({ op: z.int(), fieldId: hexShape, bytesArg: hexShape })),
    verifierKeys: z.array(hexShape),
  }),
);
const transitionsShape = z.array(z.object({ fromState: hexShape, toState: hexShape, inputId: hexShape }));
const verifiersShape = z.array(z.object({ key: hexShape, verifier: hexShape }));
const actionsShape = z.array(
  z.object({
    fromState: hexShape,
    inputId: hexShape,
    target: hexShape,
    value: z.string().transform(BigInt),
    data: hexShape,
  }),
);
