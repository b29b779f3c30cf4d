import { encodeAbiParameters, type Hex, hexToString, stringToHex, zeroHash } from 'viem';
import { expect, test } from 'vitest';
import { readDocUri } from '../../../src/indexer/decoding/readDocUri.ts';

function event(bytes: Hex) {
  const data = encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes32' }], [bytes, zeroHash]);
  return { args: { docUri: hexToString(bytes) }, log: { data } };
}

test.for(['', 'ipfs://agreement/1', 'ünïcode \u{1f600}', 'line\nbreak'])(
  'the text %j is stored unchanged',
  (text) => {
    expect(readDocUri(event(stringToHex(text)))).toEqual({ docUri: text, docUriBytes: null });
  },
);

test.for<Hex>(['0x6100', '0xff', '0x61c3', '0xeda080'])(
  'the bytes %s, which are no text to store, are kept',
  (bytes) => {
    const { docUri, docUriBytes } = readDocUri(event(bytes));
    expect(docUri).toMatch(/\ufffd$/);
    expect(docUri).not.toContain('\u0000');
    expect(docUriBytes).toBe(bytes);
  },
);
