import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Hex } from 'viem';
import { z } from 'zod';
import { indexViewsSchemaName as index } from '../../platform/database/indexNames.ts';
import type { indexedAgreements } from '../../platform/database/indexView.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { createEngine, type Engine, EngineRevert } from '../../protocol/index.ts';
import { keccak256Text } from '../../protocol/keccak.ts';

/** What an agreement's creation has fixed, from the chain. */
export type AgreementRules = {
  /** The engine at its creation. */
  readonly engine: Engine;
  /** The creating transaction: after a reorg another agreement may be at the address. */
  readonly transactionHash: Hex;
  /**
   * Identifies the names of inputs, transitions and actions: agreements with the same definition use the same
   * gas for the same input.
   */
  readonly definitionHash: Hex;
  /** The inputs that make the contract store something, and how many fields of each it stores. */
  readonly storing: ReadonlyMap<string, number>;
};

export type RuleCache = {
  /** Undefined if the index does not show the agreement, or if its creation cannot be read. */
  find(agreement: { chainId: number; address: Hex }): Promise<AgreementRules | undefined>;
  /** An earlier result does not match the chain any more. */
  forget(agreement: { chainId: number; address: Hex }): void;
};

/** In characters of the definitions' text. */
const usualCapacity = 32_000_000;

/** Reads agreements' creations from the index, and keeps the last used ones. */
export function createRuleCache(pool: pg.Pool, capacity = usualCapacity): RuleCache {
  const kept = new LRUCache<string, AgreementRules>({ maxSize: capacity });
  return {
    async find(agreement) {
      const key = keyOf(agreement);
      const known = kept.get(key);
      if (known) return known;
      const read = await readRules(pool, agreement);
      if (!read) return undefined;
      kept.set(key, read.rules, { size: read.size });
      return read.rules;
    },
    forget: (agreement) => void kept.delete(keyOf(agreement)),
  };
}

function keyOf({ chainId, address }: { chainId: number; address: Hex }): string {
  return `${chainId} ${address}`;
}

const statement = `
  select shown.transaction_hash, shown.initial_state, definition.input_defs::text, definition.transitions::text,
    definition.init_vars::text, (
      select coalesce(json_agg(json_build_object('key', key, 'verifier', verifier) order by ordinal), '[]')::text
      from ${index}.verifiers where chain_id = $1::int and agreement = $2) as verifiers, (
      select coalesce(json_agg(json_build_object('fromState', from_state, 'inputId', input_id, 'target', target,
        'value', value::text, 'data', data) order by ordinal), '[]')::text
      from ${index}.actions where chain_id = $1::int and agreement = $2) as actions
  from ${index}.agreements shown
  join ${index}.definitions definition on definition.chain_id = $1::int and definition.agreement = $2
  where shown.chain_id = $1::int and shown.address = $2 and shown.initial_state is not null`;

type Row = RowOf<typeof indexedAgreements, 'transaction_hash'> &
  NotNull<RowOf<typeof indexedAgreements, 'initial_state'>> & {
    input_defs: string;
    transitions: string;
    init_vars: string;
    verifiers: string;
    actions: string;
  };

async function readRules(
  pool: pg.Pool,
  { chainId, address }: { chainId: number; address: Hex },
): Promise<{ rules: AgreementRules; size: number } | undefined> {
  const [row] = await runPrepared<Row>(pool, statement, [chainId, address]);
  if (!row) return undefined;
  const { transaction_hash: transactionHash, initial_state: initialState } = row;
  const text = [row.input_defs, row.transitions, row.actions, row.verifiers].join('\n');
  const inputDefs = inputDefsShape.parse(JSON.parse(row.input_defs));
  const engine = create({
    initialState,
    inputDefs,
    transitions: transitionsShape.parse(JSON.parse(row.transitions)),
    initVars: dataFieldsShape.parse(JSON.parse(row.init_vars)),
    verifiers: verifiersShape.parse(JSON.parse(row.verifiers)),
    actions: actionsShape.parse(JSON.parse(row.actions)),
  });
  if (!engine) return undefined;
  const storing = inputDefs.map(
    ({ id, fields }) => [id.toLowerCase(), fields.filter(({ persist }) => persist).length] as const,
  );
  const rules = {
    engine,
    transactionHash,
    definitionHash: keccak256Text(text),
    storing: new Map(storing.filter(([, count]) => count > 0)),
  };
  return { rules, size: text.length + row.init_vars.length };
}

/** Undefined if the model would have refused its creation: then the model must not decide about it. */
function create(parameters: Parameters<typeof createEngine>[0]): Engine | undefined {
  try {
    return createEngine(parameters);
  } catch (error) {
    if (error instanceof EngineRevert) return undefined;
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
