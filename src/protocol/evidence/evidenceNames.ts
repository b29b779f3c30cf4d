import type { Hex } from 'viem';
import { decodeDataFields } from '../decodeDataFields.ts';
import { decodeValue } from '../decodeValue.ts';
import { readInputs } from '../inputDefinitions.ts';
import { JsonCursor } from '../jsonCursor.ts';
import { listStateNames } from '../lookups.ts';
import type { Engine } from '../model/engine.ts';
import { nameHash } from '../names.ts';
import { FieldType } from '../onChain.ts';
import { readVariables } from '../variables.ts';
import type { EvidenceAct } from './evidenceVerdict.ts';
import { showName } from './showName.ts';

/** The document's names for hashes on the chain, ready for display. Built once per file. */
export type EvidenceNames = {
  /** The name of a state, or its hash if the document has none. */
  state(hash: Hex): string;
  /** The name of an input, or its hash if the document has none. */
  input(hash: Hex): string;
  /** The names of the first variables that hold an account, at most 10. */
  roles(account: Hex, variables: Engine['variables']): readonly string[];
  /**
   * The fields that the contract reads from an accepted payload, in the payload's order, and the number of
   * fields that it ignores.
   */
  values(inputId: Hex, payload: Hex): Pick<EvidenceAct, 'values' | 'ignored'>;
};

const mostRoles = 10;

export function readEvidenceNames(agreement: unknown): EvidenceNames {
  const root = new JsonCursor(agreement);
  const states = indexNames(listStateNames(root));
  const inputs = readInputs(root);
  const inputNames = indexNames(inputs.map(({ id }) => id));
  const fields = new Map(
    inputs.map(({ id, fields: own }) => [nameHash(id), indexNames(own.map(({ name }) => name))]),
  );
  const accounts = readVariables(root).filter(({ fType }) => fType === FieldType.ADDRESS);
  const addresses = accounts.map(({ name }) => ({ id: nameHash(name), name: showName(name) }));
  const findRoles = createRoleFinder(addresses);
  return {
    state: (hash) => states.get(hash) ?? hash,
    input: (hash) => inputNames.get(hash) ?? hash,
    roles: findRoles,
    values: (inputId, payload) => readValues(payload, fields.get(inputId) ?? new Map()),
  };
}

function indexNames(names: readonly string[]): Map<Hex, string> {
  return new Map(names.map((name) => [nameHash(name), showName(name)]));
}

function createRoleFinder(addresses: readonly { id: Hex; name: string }[]): EvidenceNames['roles'] {
  let seen: Engine['variables'] | undefined;
  let roles = new Map<Hex, string[]>();
  return (account, variables) => {
    if (variables !== seen) {
      seen = variables;
      roles = new Map();
      for (const { id, name } of addresses) {
        const stored = variables.get(id);
        if (stored === undefined || stored === 'unknown' || stored.fType !== FieldType.ADDRESS) continue;
        const holder: Hex = `0x${stored.data.slice(-40)}`;
        const known = roles.get(holder);
        if (!known) roles.set(holder, [name]);
        else if (known.length < mostRoles) known.push(name);
      }
    }
    return roles.get(account) ?? [];
  };
}

/**
 * The contract reads the first field of each declared id. Fields may share bytes, so a small payload could hold
 * huge values. Once the values together are longer than the payload, the others are null.
 */
function readValues(payload: Hex, declared: ReadonlyMap<Hex, string>) {
  const values: { name: string; value: ReturnType<typeof decodeValue> }[] = [];
  const read = new Set<Hex>();
  let ignored = 0;
  let room = payload.length;
  for (const { id, fType, data } of decodeDataFields(payload)) {
    const name = declared.get(id);
    if (name === undefined || read.has(id)) {
      ignored++;
      continue;
    }
    read.add(id);
    room -= data.length;
    values.push({ name, value: room < 0 ? null : decodeValue(fType, data) });
  }
  return { values, ignored };
}
