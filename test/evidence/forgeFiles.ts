import type { RefusalReason } from '../../src/protocol/evidence/refusal.ts';
import {
  at,
  type Json,
  type JsonObject,
  list,
  memberOf,
  object,
  readJson,
  readObject,
  write,
} from './editJson.ts';

/** A forged file, and the reasons for which it must be refused. */
export type Forgery = {
  readonly name: string;
  readonly text: string;
  readonly reasons: readonly RefusalReason[];
};

type Path = readonly (string | number)[];

/** The possible reasons for refusing an altered field. The first matching pattern decides. */
const reasonsByField: readonly (readonly [RegExp, readonly RefusalReason[]])[] = [
  [/^(format|notes)/, ['bad_format']],
  [/^chain\./, ['unknown_factory']],
  [/^agreement\.docHash$/, ['document_mismatch']],
  [/^agreement\.initialState$/, ['parameters_mismatch']],
  [/^agreement\.currentState$/, ['final_state_mismatch']],
  [/^agreement\.inputCount$/, ['incomplete']],
  [/^agreement\./, ['log_mismatch']],
  [/^document\.text$/, ['document_mismatch']],
  [/^document\.values/, ['parameters_mismatch']],
  [/^blocks\.\d+\.(number|timestamp)$/, ['header_mismatch', 'order_invalid']],
  [/^blocks\./, ['header_mismatch']],
  [/^transactions\.\d+\.(block|index)$/, ['transaction_proof_invalid', 'order_invalid', 'bad_format']],
  [/^transactions\.\d+\.(hash|raw)$/, ['transaction_invalid']],
  [/^transactions\.\d+\.proof/, ['transaction_proof_invalid']],
  [/^transactions\./, ['receipt_proof_invalid']],
  [/^deployment\.transaction$/, ['order_invalid']],
  [/^inputs\.\d+\.(transaction|log)$/, ['log_mismatch', 'order_invalid', 'bad_format', 'incomplete']],
  [/permit\.typedData|permit\.nonce$/, ['signature_invalid']],
  [/permit\.signer$/, ['log_mismatch']],
  [/permit\./, ['call_mismatch', 'signature_invalid']],
  [/^(deployment|inputs)/, ['log_mismatch']],
  [/^state\.block$/, ['state_proof_invalid', 'order_invalid']],
  [/^state\.storage\.\d+\.of$/, ['nonce_mismatch']],
  [/^state/, ['state_proof_invalid']],
];

/**
 * Alters every field of a file, one at a time, except `made`, on which nothing depends. With `eachKind`, of
 * fields that differ only by their place in a list it alters one.
 */
export function alterFields(text: string, { eachKind = false } = {}): Forgery[] {
  const all = listLeaves(readJson(text)).filter(([part]) => part !== 'made');
  const kinds = new Map(
    all.map((path) => [path.map((key) => (typeof key === 'number' ? '' : key)).join('.'), path]),
  );
  const leaves = eachKind ? [...kinds.values()] : all;
  return leaves.map((path) => {
    const field = path.join('.');
    const [, reasons = []] = reasonsByField.find(([pattern]) => pattern.test(field)) ?? [];
    return { name: `${field} altered`, text: change(text, path, alter), reasons };
  });
}

/** Removes an input and everything that only this input needs from the file, and corrects all counts. */
export function dropInput(file: JsonObject, which: number): void {
  const inputs = list(file, 'inputs');
  const [dropped] = inputs.splice(which, 1);
  const gone = Number(object(dropped).transaction);
  const transactions = list(file, 'transactions');
  const block = Number(object(transactions[gone]).block);
  transactions.splice(gone, 1);
  for (const input of inputs) lower(object(input), 'transaction', gone);
  const blocks = list(file, 'blocks');
  const isStateBlock = file.state !== null && Number(at(file, 'state').block) === block;
  if (!isStateBlock && !transactions.some((transaction) => object(transaction).block === block)) {
    blocks.splice(block, 1);
    for (const transaction of transactions) lower(object(transaction), 'block', block);
    if (file.state !== null) lower(at(file, 'state'), 'block', block);
  }
  const agreement = at(file, 'agreement');
  agreement.inputCount = inputs.length;
  agreement.currentState =
    object(inputs.at(-1) ?? { toState: agreement.initialState ?? null }).toState ?? null;
}

/** Removes from the file everything that the chain would have to prove. */
export function stripProofs(text: string): string {
  const file = readObject(text);
  for (const block of list(file, 'blocks')) object(block).header = null;
  for (const transaction of list(file, 'transactions'))
    Object.assign(object(transaction), { proof: null, receiptProof: null });
  const { block } = at(file, 'state');
  const isUsed = list(file, 'transactions').some((transaction) => object(transaction).block === block);
  if (!isUsed) list(file, 'blocks').pop();
  return write({ ...file, state: null, notes: ['no_state_proof', 'no_inclusion_proof'] });
}

/** The curve's order: each signature has two forms, whose second parts add up to it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export function malleate(permit: JsonObject): void {
  permit.s = `0x${(order - BigInt(String(permit.s))).toString(16).padStart(64, '0')}`;
  permit.v = permit.v === 27 ? 28 : 27;
}

function listLeaves(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [path];
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return parts.flatMap(([key, part]) => listLeaves(part, [...path, key]));
}

function change(text: string, path: Path, run: (value: Json) => Json): string {
  const file = readJson(text);
  const last = path.at(-1) ?? '';
  let holder: Json = file;
  for (const key of path.slice(0, -1)) holder = memberOf(holder, key);
  if (Array.isArray(holder)) holder[Number(last)] = run(holder[Number(last)] ?? null);
  else object(holder)[last] = run(object(holder)[last] ?? null);
  return write(file);
}

function alter(value: Json): Json {
  if (typeof value === 'number') return value === 27 ? 28 : value === 28 ? 27 : value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return 1;
  if (/^0x([0-9a-f]{2})+$/.test(value)) return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
  return /^\d+$/.test(value) ? String(BigInt(value) + 1n) : `${value}x`;
}

function lower(holder: JsonObject, key: string, above: number): void {
  const value = Number(holder[key]);
  if (value > above) holder[key] = value - 1;
}
