import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { acceptedInputs, type Issuer, type WireValues } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { heldAddress } from './heldAddress.ts';
import { spliceJson } from './spliceJson.ts';

/** A document's data about one of its states; the same for every record with the document. */
type StateFacts = {
  readonly description: string | undefined;
  readonly inputs: readonly FoundInput[];
  /** The variables that decide who may submit one of the inputs, with their names in the document. */
  readonly parties: readonly Party[];
};
type Party = { readonly variableKey: string; readonly displayName: string };

/** An input with its requirements, complete if no variable decides who may submit it. */
type FoundInput = { inputId: string; displayName: string; issuer: Issuer; fieldsText: string; text?: string };

/** A record's state, with its effective values, or what reads those of some variables if an input depends on them. */
type Place = {
  recordId: string;
  docHash: string;
  state: string;
  variables: WireValues | ((names: readonly string[]) => Promise<WireValues>);
};

export type AcceptedInputs = {
  /** The state's description, if any, its accepted inputs, as JSON, and the participants who may submit one. */
  read(place: Place): Promise<{
    description: string | undefined;
    inputsText: string;
    participants: readonly (Party & { readonly walletAddress: string })[];
  }>;
};

const usualCapacity = 8_000_000;
/** A document may name one thing at any length, and an answer repeats it. */
const longestName = 200;

/**
 * Reads which inputs a state accepts. The documents' data are cached, for the states in use.
 *
 * @param capacity how much, in characters of its text.
 */
export function createAcceptedInputs(pool: pg.Pool, capacity = usualCapacity): AcceptedInputs {
  const kept = new LRUCache<string, StateFacts>({ maxSize: capacity });

  const load = async (recordId: string, state: string): Promise<StateFacts> => {
    const text = 'select document from service.records where id = $1';
    const rows = await runPrepared<RowOf<typeof records, 'document'>>(pool, text, [recordId]);
    const agreement: unknown = JSON.parse(rows[0]?.document ?? 'null');
    const root = new JsonCursor(agreement);
    const description = root.at('execution').at('states').at(state).at('description').value;
    const inputs = acceptedInputs(agreement, state).map(({ inputId, issuer, fields }) => {
      const displayName = nameOfInput(agreement, inputId);
      const input = { inputId, displayName, issuer, fieldsText: JSON.stringify(fields) };
      return issuer.variables.length > 0 ? input : { ...input, text: writeInput(input, {}) };
    });
    const deciding = new Set(inputs.flatMap(({ issuer }) => issuer.variables));
    const parties = [...deciding].map((variableKey) => {
      const name = root.at('variables').at(variableKey).at('name').value;
      return { variableKey, displayName: chooseName([name], variableKey) };
    });
    return { description: typeof description === 'string' ? description : undefined, inputs, parties };
  };

  const find = ({ recordId, docHash, state }: Place): StateFacts | Promise<StateFacts> => {
    const key = `${docHash} ${state}`;
    const known = kept.get(key);
    if (known) return known;
    return load(recordId, state).then((facts) => {
      kept.set(key, facts, { size: key.length + JSON.stringify(facts).length });
      return facts;
    });
  };

  return {
    async read(place) {
      const facts = await find(place);
      const isSettled = facts.inputs.every(({ text }) => text !== undefined);
      const { variables } = place;
      const names = facts.parties.map(({ variableKey }) => variableKey);
      const values = isSettled ? {} : typeof variables === 'function' ? await variables(names) : variables;
      const inputs = facts.inputs.map((input) => input.text ?? writeInput(input, values));
      const participants = facts.parties.flatMap((party) => {
        const walletAddress = heldAddress(values, party.variableKey);
        return walletAddress === undefined ? [] : [{ ...party, walletAddress }];
      });
      return { description: facts.description, inputsText: `[${inputs.join(',')}]`, participants };
    },
  };
}

function writeInput({ inputId, displayName, issuer, fieldsText }: FoundInput, values: WireValues): string {
  const issuers = resolveIssuers(issuer, values);
  return spliceJson({ inputId, displayName, issuers, anyone: issuer.anyone }, { fields: fieldsText });
}

/** What a document calls one of its inputs. */
export function nameOfInput(agreement: unknown, inputId: string): string {
  const definition = new JsonCursor(agreement).at('execution').at('inputs').at(inputId);
  return chooseName([definition.at('displayName').value, definition.at('name').value], inputId);
}

/** The first of the names that is a text, or else the id. */
function chooseName(names: readonly unknown[], id: string): string {
  const name = names.find((each) => typeof each === 'string' && each.trim() !== '');
  const text = String(name ?? id);
  return text.length <= longestName ? text : copy(text.slice(0, longestName));
}

/** V8 keeps the whole text in memory for a slice of it. */
function copy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The addresses that may submit: the variables' current values, then the literal ones, each once. */
export function resolveIssuers({ variables, literals }: Issuer, values: WireValues): string[] {
  const held = variables.map((name) => heldAddress(values, name));
  return [...new Set([...held, ...literals].filter((address) => address !== undefined))];
}
