import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { acceptedInputs, type Issuer, parseAddress, type WireValues } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { spliceJson } from './jsonText.ts';

/** A document's data about one of its states; the same for every record with the document. */
type StateFacts = {
  readonly description: string | undefined;
  readonly inputs: readonly FoundInput[];
};

/** An input with its requirements, complete if no variable decides who may submit it. */
type FoundInput = { inputId: string; issuer: Issuer; fieldsText: string; text?: string };

/** A record's state, with its effective values. */
type Place = { recordId: string; docHash: string; state: string; variables: WireValues };

export type AcceptedInputs = {
  /** The state's description, if any, and its accepted inputs, as JSON. */
  read(place: Place): Promise<{ description: string | undefined; inputsText: string }>;
};

type Entry = {
  readonly facts: StateFacts;
  readonly size: number;
  /** Whether it was used since it was last next in line for removal. */
  wasUsed: boolean;
};

const usualCapacity = 8_000_000;

/**
 * Reads which inputs a state accepts. The documents' data are cached, for the states in use.
 *
 * @param capacity how much, in characters of its text.
 */
export function createAcceptedInputs(pool: pg.Pool, capacity = usualCapacity): AcceptedInputs {
  const kept = new Map<string, Entry>();
  let size = 0;

  const load = async (recordId: string, state: string): Promise<StateFacts> => {
    const text = 'select document from service.records where id = $1';
    const rows = await runPrepared<RowOf<typeof records, 'document'>>(pool, text, [recordId]);
    const agreement: unknown = JSON.parse(rows[0]?.document ?? 'null');
    const description = new JsonCursor(agreement)
      .at('execution')
      .at('states')
      .at(state)
      .at('description').value;
    const inputs = acceptedInputs(agreement, state).map(({ inputId, issuer, fields }) => {
      const input = { inputId, issuer, fieldsText: JSON.stringify(fields) };
      return issuer.variables.length > 0 ? input : { ...input, text: writeInput(input, {}) };
    });
    return { description: typeof description === 'string' ? description : undefined, inputs };
  };

  const keep = (key: string, facts: StateFacts) => {
    const entry = measure(key, facts);
    size += entry.size - (kept.get(key)?.size ?? 0);
    kept.delete(key);
    kept.set(key, entry);
    for (const [oldest, known] of kept) {
      if (size <= capacity || kept.size === 1) break;
      kept.delete(oldest);
      if (known.wasUsed) {
        known.wasUsed = false;
        kept.set(oldest, known);
      } else size -= known.size;
    }
    return facts;
  };

  const find = ({ recordId, docHash, state }: Place): StateFacts | Promise<StateFacts> => {
    const key = `${docHash} ${state}`;
    const known = kept.get(key);
    if (!known) return load(recordId, state).then((facts) => keep(key, facts));
    known.wasUsed = true;
    return known.facts;
  };

  return {
    async read(place) {
      const facts = await find(place);
      const inputs = facts.inputs.map((input) => input.text ?? writeInput(input, place.variables));
      return { description: facts.description, inputsText: `[${inputs.join(',')}]` };
    },
  };
}

function writeInput({ inputId, issuer, fieldsText }: FoundInput, values: WireValues): string {
  const issuers = resolveIssuers(issuer, values);
  return spliceJson({ inputId, issuers, anyone: issuer.anyone }, { fields: fieldsText });
}

function measure(key: string, facts: StateFacts): Entry {
  return { facts, size: key.length + JSON.stringify(facts).length, wasUsed: true };
}

/** The addresses that may submit: the variables' current values, then the literal ones, each once. */
export function resolveIssuers({ variables, literals }: Issuer, values: WireValues): string[] {
  const held = variables.map((name) =>
    Object.hasOwn(values, name) ? parseAddress(values[name]) : undefined,
  );
  return [...new Set([...held, ...literals].filter((address) => address !== undefined))];
}
