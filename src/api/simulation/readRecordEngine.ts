import type pg from 'pg';
import type { Hex } from 'viem';
import type { OrNull, RowAs } from '../../platform/database/rowOf.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import {
  type AgreementCourse,
  type CreationPart,
  continueEngine,
  createDocumentEngine,
  type Engine,
  inputName,
  listStoringInputs,
  type WireValues,
} from '../../protocol/index.ts';
import { createShown } from '../admission/agreementRules.ts';
import { findCreationOf, type IndexedCreation } from '../admission/readCreation.ts';
import { mostCharacters } from '../admission/readStanding.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from '../agreements/recordReference.ts';
import { listRuleDifferences } from '../agreements/ruleDifferences.ts';

/**
 * The most inputs that are read for the contract's stored values, as far as they are short enough together; values
 * stored earlier are unknown.
 */
const inputsAtOnce = 200;
/** How many inputs are searched for them: anybody may send inputs that store nothing. */
const inputsLookedAt = 10_000;

/** The parts of a principal's deployed record that lead to its contract's rules and data. */
export type SimulatedRecord = {
  readonly id: string;
  readonly reference: RecordReference;
  readonly principalId: string;
  readonly chainId: number;
  /** In lower case. */
  readonly address: Hex | null;
  readonly deployTxHash: Hex | null;
  /** Adopted from the chain: its definitions may differ from the document's, and its values may be claims. */
  readonly isAdopted: boolean;
  readonly agreement: unknown;
  readonly initialVariables: WireValues;
  readonly state: Hex;
  readonly inputCount: number;
};

export type RecordEngine = {
  readonly engine: Engine;
  /** The parts that the engine has as the contract, and not as the document has them. Undefined if that cannot be told. */
  readonly differsFromDocument: readonly CreationPart[] | undefined;
  /** Whose rules the engine has, but for calls of other contracts: those are always the contract's. */
  readonly rulesFrom: 'contract' | 'document';
};

/**
 * The engine of a record's agreement: its creation as the index shows it, continued by the record's inputs. Without a
 * readable creation the document's definitions count. The initial variables are then unknown, unless the agreement
 * was deployed here: its signer has signed the document and the values.
 *
 * @throws ChainUnavailableError for an adopted agreement that the index does not show at the moment.
 */
export async function readRecordEngine(pool: pg.Pool, record: SimulatedRecord): Promise<RecordEngine> {
  const creation = await findCreationOf(pool, record);
  const shown = creation && createShown(creation);
  const created = shown ?? createFromDocument(record, creation);
  const engine = continueEngine(created, await readCourse(pool, record, created));
  // A permit for a deployment here covers the document's rules: they are the contract's.
  const rulesFrom = shown || !record.isAdopted ? 'contract' : 'document';
  return { engine, differsFromDocument: tellDifferences(pool, record, { creation, shown }), rulesFrom };
}

function tellDifferences(
  pool: pg.Pool,
  { id, isAdopted, agreement, initialVariables: values }: SimulatedRecord,
  { creation, shown }: { creation: IndexedCreation | undefined; shown: Engine | undefined },
): readonly CreationPart[] | undefined {
  if (!isAdopted) return [];
  // The model refuses the contract's rules, and so the document's are used.
  if (creation?.parameters && !shown) return undefined;
  return creation && listRuleDifferences(pool, { id, agreement, values, creation });
}

function createFromDocument(record: SimulatedRecord, creation: IndexedCreation | undefined): Engine {
  const { agreement, initialVariables, isAdopted } = record;
  if (!isAdopted) return createDocumentEngine({ agreement, initialValues: initialVariables });
  if (creation) return createDocumentEngine({ agreement, initialValues: {}, actions: creation.actions });
  throw new ChainUnavailableError('The index does not show the creation of the agreement at the moment.');
}

/** The payload is null if it is too long together with newer ones, or if there is no such input. */
type StoringInput = OrNull<RowAs<typeof inputs, { inputId: 'input_id'; payload: 'payload' }>>;

const storingQuery = (parameters: [names: string, count: number]) =>
  buildOwnedQuery({
    columns: 'storing.input_id as "inputId", storing.payload',
    joins: `left join lateral (
      select newest.input_id, case
        when sum(octet_length(newest.payload)) over (order by newest.position desc) <= ${mostCharacters}
        then newest.payload end as payload
      from (
        select i.input_id, i.payload, i.position from service.inputs i
        where i.record_id = r.id and i.position <= $2::int and i.position > $2::int - ${inputsLookedAt}
          and i.input_id in (select json_array_elements_text($1::json))
        order by i.position desc limit ${inputsAtOnce}) newest
      order by newest.position desc) storing on true`,
    parameters,
  });

async function readCourse(
  pool: pg.Pool,
  { agreement, state, inputCount, ...request }: SimulatedRecord,
  created: Engine,
): Promise<AgreementCourse> {
  // The rows have names. A name may look like an id, and is none.
  const ids = new Map(listStoringInputs(created).map((id) => [inputName(agreement, id) ?? id, id]));
  if (ids.size === 0 || inputCount === 0) return { state, inputs: [], isWhole: true };
  const query = storingQuery([JSON.stringify([...ids.keys()]), inputCount]);
  const rows = await queryOwned<StoringInput>(pool, { ...request, query });
  const found = rows.filter(({ inputId }) => inputId !== null);
  const stored = found.flatMap(({ inputId, payload }) =>
    inputId === null || payload === null ? [] : [{ inputId: ids.get(inputId) ?? inputId, payload }],
  );
  const isShort = found.length < inputsAtOnce && stored.length === found.length;
  return { state, inputs: stored, isWhole: isShort && inputCount <= inputsLookedAt };
}
