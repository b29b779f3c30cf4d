import type { Hex } from 'viem';
import { decodeDataFields, type RawField } from '../decodeDataFields.ts';
import { bytesToHex, hexToBytes } from '../hex.ts';
import { inputHash } from '../names.ts';
import { sharedPayloads } from '../payloadReader.ts';
import type { Engine, StoredVariable } from './engine.ts';

/** What has become of an agreement since its creation. */
export type AgreementCourse = {
  /** The current state on the chain. */
  readonly state: Hex;
  /** Accepted inputs by name or hash, newest first; only those of `listStoringInputs` matter. */
  readonly inputs: readonly { readonly inputId: string; readonly payload: Hex }[];
  /** Whether these are all such inputs from the beginning; if not, variables that they do not set are unknown. */
  readonly isWhole: boolean;
  /** The next permit's nonce by signer; absent: 0. */
  readonly nonces?: ReadonlyMap<string, bigint> | undefined;
};

/** The ids of the inputs that make the contract store something. */
export function listStoringInputs({ rules }: Engine): Hex[] {
  return [...rules.inputDefs.values()]
    .filter(({ fields }) => fields.some(({ persist }) => persist))
    .map(({ id }) => id);
}

/** The engine of an agreement now: its engine at the creation, overwritten by what its inputs have stored since. */
export function continueEngine(created: Engine, course: AgreementCourse): Engine {
  const nonces = [...(course.nonces ?? [])].map(([signer, nonce]) => [signer.toLowerCase(), nonce] as const);
  return {
    rules: created.rules,
    state: lower(course.state),
    variables: created.variables.with(collectStored(created, course)),
    nonces: created.nonces.with(nonces),
  };
}

/**
 * For each variable that inputs can store, the value that the newest of them has stored. Of a payload whose fields
 * share too many bytes, the last values are unknown.
 */
function collectStored(
  { rules }: Engine,
  { inputs, isWhole }: AgreementCourse,
): ReadonlyMap<string, StoredVariable | 'unknown'> {
  const stored = new Map<string, StoredVariable | 'unknown'>();
  for (const { inputId, payload } of inputs) {
    const fields = rules.inputDefs.get(inputHash(inputId))?.fields ?? [];
    const wanted = new Set(
      fields.flatMap(({ fieldId, persist }) => (persist && !stored.has(fieldId) ? [fieldId] : [])),
    );
    if (wanted.size === 0) continue;
    let room = payload.length * sharedPayloads;
    for (const { id, fType, data } of findFirst(payload, wanted)) {
      room -= data.length;
      stored.set(id, room < 0 ? 'unknown' : { fType, data: detach(data) });
    }
  }
  if (isWhole) return stored;
  for (const { fields } of rules.inputDefs.values())
    for (const { fieldId, persist } of fields)
      if (persist && !stored.has(fieldId)) stored.set(fieldId, 'unknown');
  return stored;
}

/** The first field of each wanted id: the contract takes the first one too. */
function findFirst(payload: Hex, wanted: Set<string>): RawField[] {
  return decodeDataFields(payload).filter(({ id }) => wanted.delete(id));
}

/** A copy: a slice would keep its whole payload in memory. */
function detach(data: Hex): Hex {
  return bytesToHex(hexToBytes(data));
}

function lower(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
