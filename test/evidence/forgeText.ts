import type { Hex } from 'viem';
import type { RefusalReason } from '../../src/protocol/evidence/refusal.ts';
import { at, type JsonObject, list, object, readObject, set, write } from './editJson.ts';
import { type Forgery, malleate } from './forgeFiles.ts';

const stranger = `0x${'5a'.repeat(20)}`;

/** Lists in each other, with a megabyte in the innermost. */
function nestLists(depth: number): Hex {
  const heads = Array.from({ length: depth }, (_, at) => {
    const size = 2 ** 20 + 4 + (depth - 1 - at) * 4;
    return `fa${size.toString(16).padStart(6, '0')}`;
  });
  return `0x${heads.join('')}ba100000${'00'.repeat(2 ** 20)}`;
}

/** Tricks on the text of the handmade lease's file. */
export function forgeText(text: string): Forgery[] {
  const edit = (run: (file: JsonObject) => void) => {
    const file = readObject(text);
    run(file);
    return write(file);
  };
  const inputOf = (file: JsonObject, which: number) => object(list(file, 'inputs')[which]);
  const tricks: (readonly [string, RefusalReason, string])[] = [
    ['a number as text', 'bad_format', text.replace(/"inputCount":3/, '"inputCount":"3"')],
    [
      'a number with a fraction that counts',
      'bad_format',
      text.replace('"inputCount":3', '"inputCount":3.5'),
    ],
    ['a number beyond 2^53', 'bad_format', text.replace('"inputCount":3', '"inputCount":9007199254740993')],
    ['a number beyond all numbers', 'bad_format', text.replace('"inputCount":3', '"inputCount":1e999')],
    ['a number in hex', 'not_json', text.replace('"inputCount":3', '"inputCount":0x3')],
    ['a comment', 'not_json', text.replace('{"format"', '{/**/"format"')],
    ['a comma at an end', 'not_json', text.replace(/\}\n$/, ',}\n')],
    ['two files in one', 'not_json', `${text}${text}`],
    ['a repeated key in a permit', 'not_canonical', text.replace('"signer":', '"signer":"0x","signer":')],
    ['a repeated key in a block', 'not_canonical', text.replace('"number":', '"number":1,"number":')],
    ['an unknown key in an input', 'bad_format', edit((file) => set(inputOf(file, 0), 'final', true))],
    [
      'a claim that a block is final',
      'bad_format',
      edit((file) => set(object(list(file, 'blocks')[0]), 'finalized', true)),
    ],
    ['a note of its own', 'bad_format', edit((file) => set(file, 'notes', ['finalized']))],
    [
      'a note twice',
      'bad_format',
      edit((file) => set(file, 'notes', Array(2).fill('signature_not_readable'))),
    ],
    ['no note on what is not signed', 'bad_format', edit((file) => set(file, 'notes', []))],
    [
      'a deadline in hex',
      'bad_format',
      edit((file) => set(at(inputOf(file, 1), 'permit'), 'deadline', '0x6553f100')),
    ],
    [
      'a nonce with a nought before it',
      'bad_format',
      edit((file) => set(at(inputOf(file, 1), 'permit'), 'nonce', '00')),
    ],
    [
      'a nonce beyond 256 bits',
      'bad_format',
      edit((file) => set(at(inputOf(file, 1), 'permit'), 'nonce', '9'.repeat(78))),
    ],
    [
      'a deadline beyond 256 bits',
      'bad_format',
      edit((file) => set(at(inputOf(file, 1), 'permit'), 'deadline', String(2n ** 256n))),
    ],
    [
      'a header of a thousand lists in each other',
      'header_mismatch',
      edit((file) => set(object(list(file, 'blocks')[0]), 'header', nestLists(1_000))),
    ],
    [
      'a receipt of a thousand lists in each other',
      'receipt_proof_invalid',
      edit((file) =>
        Object.assign(object(list(file, 'transactions')[0]), {
          receipt: nestLists(1_000),
        }),
      ),
    ],
    [
      'a node of a thousand lists in each other',
      'transaction_proof_invalid',
      edit((file) => set(object(list(file, 'transactions')[0]), 'proof', [nestLists(1_000)])),
    ],
    [
      'a nonce in other digits',
      'bad_format',
      edit((file) => set(at(inputOf(file, 1), 'permit'), 'nonce', '０')),
    ],
    [
      'a signature in capital digits',
      'bad_format',
      edit((file) => {
        const permit = at(inputOf(file, 1), 'permit');
        set(permit, 'r', `0x${String(permit.r).slice(2).toUpperCase()}`);
      }),
    ],
    [
      'a line break behind a hash',
      'bad_format',
      edit((file) => set(at(file, 'agreement'), 'docHash', `${at(file, 'agreement').docHash}\n`)),
    ],
    [
      'a time that is written otherwise',
      'bad_format',
      edit((file) => set(at(file, 'made'), 'at', '2026-01-02T03:04:05Z')),
    ],
    [
      'the other form of a permit’s signature',
      'call_mismatch',
      edit((file) => malleate(at(inputOf(file, 1), 'permit'))),
    ],
    [
      'the permit at another input',
      'log_mismatch',
      edit((file) => swapMember(inputOf(file, 0), inputOf(file, 1), 'permit')),
    ],
    ['two inputs under each other’s proofs', 'log_mismatch', edit((file) => exchangeInputs(file))],
    [
      'a header of another block under the number of this one',
      'header_mismatch',
      edit((file) => borrowHeader(file, 1, 2)),
    ],
    [
      'empty proofs',
      'transaction_proof_invalid',
      edit((file) => set(object(list(file, 'transactions')[1]), 'proof', [])),
    ],
    [
      'an empty proof of a receipt',
      'receipt_proof_invalid',
      edit((file) => set(object(list(file, 'transactions')[1]), 'receiptProof', [])),
    ],
    [
      'an empty proof of the account',
      'state_proof_invalid',
      edit((file) => set(at(file, 'state'), 'accountProof', [])),
    ],
    [
      'a proof of a transaction in place of its receipt’s',
      'receipt_proof_invalid',
      edit((file) => {
        const entry = object(list(file, 'transactions')[1]);
        set(entry, 'receiptProof', entry.proof ?? null);
      }),
    ],
    [
      'the list of inputs cut to the first',
      'incomplete',
      edit((file) => {
        set(file, 'inputs', list(file, 'inputs').slice(0, 1));
        set(at(file, 'agreement'), 'inputCount', 1);
      }),
    ],
    [
      'another chain’s name under the same contracts',
      'transaction_invalid',
      edit((file) => set(at(file, 'chain'), 'chainId', 8453)),
    ],
    [
      'an engine of nobody’s',
      'unknown_factory',
      edit((file) => set(at(file, 'chain'), 'implementation', stranger)),
    ],
    [
      'a message with a field that is not signed',
      'signature_invalid',
      edit((file) => set(at(inputOf(file, 1), 'permit', 'typedData', 'message'), 'remark', 'agreed')),
    ],
    [
      'a message of another type',
      'signature_invalid',
      edit((file) => set(at(inputOf(file, 1), 'permit', 'typedData'), 'primaryType', 'Permit')),
    ],
    [
      'slots of the nonces among the ordinary ones of the states',
      'state_proof_invalid',
      edit((file) => set(at(file, 'state', 'layout'), 'nonces', at(file, 'state', 'layout').docHash ?? null)),
    ],
  ];
  return tricks.map(([name, reason, forged]) => ({ name, text: forged, reasons: [reason] }));
}

function swapMember(one: JsonObject, other: JsonObject, key: string): void {
  [one[key], other[key]] = [other[key] ?? null, one[key] ?? null];
}

/** Swaps the content of two inputs. */
function exchangeInputs(file: JsonObject): void {
  const [first, second] = list(file, 'inputs').map(object);
  if (!first || !second) throw new Error('there are two');
  for (const key of ['inputId', 'fromState', 'toState', 'payload', 'permit']) swapMember(first, second, key);
}

/** Gives a block the header and hash of another block, but keeps its number. */
function borrowHeader(file: JsonObject, block: number, other: number): void {
  const [own, foreign] = [block, other].map((which) => object(list(file, 'blocks')[which]));
  if (!own || !foreign) throw new Error('there are two');
  Object.assign(own, { hash: foreign.hash ?? null, header: foreign.header ?? null });
}
