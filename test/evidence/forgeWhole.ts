import { hashDocument } from '../../src/protocol/document.ts';
import type { RefusalReason } from '../../src/protocol/evidence/refusal.ts';
import {
  array,
  at,
  type Json,
  type JsonObject,
  list,
  object,
  readJson,
  readObject,
  set,
  write,
} from './editJson.ts';
import { dropInput, type Forgery, malleate } from './forgeFiles.ts';

/** Tricks on the whole file, for files of a signed lease. */
export function forgeWhole(text: string, other: string): Forgery[] {
  const edit = (run: (file: JsonObject) => void) => {
    const file = readObject(text);
    run(file);
    return write(file);
  };
  const foreign = readObject(other);
  const tricks: (readonly [string, string, RefusalReason | readonly RefusalReason[]])[] = [
    ['formatted again', `${JSON.stringify(readJson(text), null, 2)}\n`, 'not_canonical'],
    ['a space at its end', `${text} `, 'not_canonical'],
    ['without its last line break', text.trimEnd(), 'not_canonical'],
    ['a byte order mark', `\ufeff${text}`, 'not_json'],
    ['cut in the middle', text.slice(0, text.length / 2), 'not_json'],
    ['empty', '', 'not_json'],
    ['a list', '[]\n', 'bad_format'],
    ['null', 'null\n', 'bad_format'],
    ['nested without end', '['.repeat(200_000), ['not_json', 'bad_format']],
    ['a repeated key', text.replace('{"format":', '{"format":"x","format":'), 'not_canonical'],
    ['a number with a fraction', text.replace(/"inputCount":(\d+)/, '"inputCount":$1.0'), 'not_canonical'],
    ['a number with an exponent', text.replace(/"inputCount":(\d+)/, '"inputCount":$1e0'), 'not_canonical'],
    ['minus nought', text.replace('"index":0', '"index":-0'), 'bad_format'],
    ['an escaped letter', text.replace('"format"', '"f\\u006frmat"'), 'not_canonical'],
    [
      'capital digits',
      text.replace(/"hash":"0x([0-9a-f]+)"/, (_, hex) => `"hash":"0x${hex.toUpperCase()}"`),
      'bad_format',
    ],
    ['a prototype', text.replace('{"format"', '{"__proto__":{"level":"anchored"},"format"'), 'bad_format'],
    ['a constructor', text.replace('{"format"', '{"constructor":{"prototype":{}},"format"'), 'bad_format'],
    [
      'a prototype in a block',
      text.replace('"blocks":[{', '"blocks":[{"__proto__":{"isAnchored":true},'),
      'bad_format',
    ],
    [
      'a prototype in a message',
      text.replace('"message":{', '"message":{"__proto__":"x",'),
      'signature_invalid',
    ],
    ['another order of keys', edit((file) => void Object.assign(file, reorder(file))), 'bad_format'],
    ['a level of its own', text.replace('{"format"', '{"level":"anchored","format"'), 'bad_format'],
    [
      'no state, and silence about it',
      edit((file) => void set(file, 'state', null)),
      ['bad_format', 'order_invalid'],
    ],
    [
      'a note on something that is there',
      edit((file) => void set(file, 'notes', ['no_state_proof'])),
      'bad_format',
    ],
    ['another text', edit((file) => rewrite(file)), 'document_mismatch'],
    ['another text under its own hash', edit((file) => rewrite(file, true)), 'log_mismatch'],
    [
      'another agreement under this text',
      edit((file) => void set(file, 'agreement', foreign.agreement ?? null)),
      ['document_mismatch', 'parameters_mismatch', 'log_mismatch', 'incomplete'],
    ],
    ['headers of other blocks', edit((file) => swap(list(file, 'blocks'), 'header')), 'header_mismatch'],
    ['hashes of other blocks', edit((file) => swap(list(file, 'blocks'), 'hash')), 'header_mismatch'],
    ['blocks in another order', edit((file) => void list(file, 'blocks').reverse()), 'order_invalid'],
    [
      'proofs of other transactions',
      edit((file) => swap(list(file, 'transactions'), 'proof')),
      'transaction_proof_invalid',
    ],
    [
      'receipts of other transactions',
      edit((file) => swap(list(file, 'transactions'), 'receipt')),
      'receipt_proof_invalid',
    ],
    [
      'proofs of other receipts',
      edit((file) => swap(list(file, 'transactions'), 'receiptProof')),
      'receipt_proof_invalid',
    ],
    [
      'transactions of other blocks',
      edit((file) => swap(list(file, 'transactions'), 'raw')),
      'transaction_invalid',
    ],
    [
      'proofs of another chain’s blocks',
      edit(
        (file) =>
          void set(
            object(list(file, 'transactions')[0]),
            'proof',
            object(list(foreign, 'transactions')[0]).proof ?? null,
          ),
      ),
      'transaction_proof_invalid',
    ],
    [
      'a proof without its last node',
      edit((file) => void array(object(list(file, 'transactions')[0]).proof).pop()),
      'transaction_proof_invalid',
    ],
    [
      'a proof with a node more',
      edit((file) => void array(object(list(file, 'transactions')[0]).proof).push('0xc0')),
      'transaction_proof_invalid',
    ],
    [
      'a state of another contract',
      edit((file) => void set(at(file, 'state'), 'accountProof', at(foreign, 'state').accountProof ?? null)),
      'state_proof_invalid',
    ],
    [
      'nonces of fewer accounts',
      edit((file) => void array(at(file, 'state').storage).pop()),
      'nonce_mismatch',
    ],
    [
      'an account twice',
      edit(
        (file) => void array(at(file, 'state').storage).push(array(at(file, 'state').storage).at(-1) ?? null),
      ),
      'nonce_mismatch',
    ],
    [
      'the initial state shown as the last',
      edit(
        (file) =>
          void Object.assign(at(file, 'state', 'layout'), {
            currentState: at(file, 'state', 'layout').initialState ?? null,
          }),
      ),
      'state_proof_invalid',
    ],
    [
      'inputs in another order',
      edit((file) => void list(file, 'inputs').reverse()),
      ['order_invalid', 'incomplete'],
    ],
    [
      'an input twice',
      edit((file) => void list(file, 'inputs').push(list(file, 'inputs').at(-1) ?? null)),
      'incomplete',
    ],
    ['an input twice, and counted', edit((file) => double(file)), 'order_invalid'],
    ['inputs left out', edit((file) => void set(file, 'inputs', [])), 'incomplete'],
    [
      'inputs left out, and uncounted',
      edit(
        (file) =>
          void Object.assign(file, { inputs: [], agreement: { ...at(file, 'agreement'), inputCount: 0 } }),
      ),
      'incomplete',
    ],
    ['the last input cut off', edit((file) => dropInput(file, -1)), 'final_state_mismatch'],
    ['the first input cut off', edit((file) => dropInput(file, 0)), ['nonce_mismatch', 'replay_refused']],
    ['an input of the middle cut off', edit((file) => dropInput(file, 2)), 'replay_refused'],
    [
      'all inputs cut off',
      edit((file) => {
        while (list(file, 'inputs').length > 0) dropInput(file, -1);
      }),
      ['final_state_mismatch', 'nonce_mismatch'],
    ],
    ['a malleated signature', edit((file) => malleate(at(file, 'deployment', 'permit'))), 'call_mismatch'],
    [
      'the permit left out',
      edit((file) => void set(at(file, 'deployment'), 'permit', null)),
      'call_mismatch',
    ],
    [
      'an input’s permit left out',
      edit((file) => void set(object(list(file, 'inputs')[0]), 'permit', null)),
      'call_mismatch',
    ],
    [
      'the permit of another input',
      edit(
        (file) =>
          void set(object(list(file, 'inputs')[0]), 'permit', object(list(file, 'inputs')[2]).permit ?? null),
      ),
      'log_mismatch',
    ],
    [
      'a header without its proofs',
      edit((file) => void set(object(list(file, 'blocks')[0]), 'header', null)),
      'bad_format',
    ],
    [
      'proofs without their header',
      edit((file) => void set(object(list(file, 'transactions')[0]), 'proof', null)),
      'bad_format',
    ],
    [
      'a block that nothing stands in',
      edit((file) => void list(file, 'blocks').push(unusedBlock(file))),
      'order_invalid',
    ],
    [
      'values that nothing needs',
      edit((file) => void array(at(file, 'document').values).push({ name: 'zebra', value: 'x' })),
      'parameters_mismatch',
    ],
    [
      'a value left out',
      edit((file) => void array(at(file, 'document').values).pop()),
      'parameters_mismatch',
    ],
    ['a value in another spelling', edit((file) => respell(file)), 'parameters_mismatch'],
  ];
  return tricks.map(([name, forged, reasons]) => ({
    name,
    text: forged,
    reasons: typeof reasons === 'string' ? [reasons] : reasons,
  }));
}

function swap(items: Json[], key: string): void {
  const [first, second] = [object(items[0]), object(items[1])];
  [first[key], second[key]] = [second[key] ?? null, first[key] ?? null];
}

function reorder(file: JsonObject): JsonObject {
  const { format = null, ...rest } = file;
  for (const key of Object.keys(file)) delete file[key];
  return { ...rest, format };
}

function double(file: JsonObject): void {
  const inputs = list(file, 'inputs');
  inputs.push(inputs.at(-1) ?? null);
  at(file, 'agreement').inputCount = inputs.length;
}

function unusedBlock(file: JsonObject): Json {
  const block = object(list(file, 'blocks').at(-1) ?? null);
  return { ...block, number: Number(block.number) + 1, header: null };
}

function respell(file: JsonObject): void {
  const values = array(at(file, 'document').values).map(object);
  const number = values.find(({ value }) => typeof value === 'string' && /^\d+$/.test(value));
  if (number) number.value = `0x${BigInt(String(number.value)).toString(16)}`;
}

/** Changes the meaning of a state in the document. */
function rewrite(file: JsonObject, withHash = false): void {
  const document = at(file, 'document');
  document.text = String(document.text).replace('The rent is paid', 'The rent is not paid');
  if (withHash) at(file, 'agreement').docHash = hashDocument(document.text);
}
