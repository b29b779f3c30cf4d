import { encodeAbiParameters, type Hex, stringToHex, zeroHash } from 'viem';
import { expect, test } from 'vitest';
import { readDocUri } from '../../../src/indexer/decoding/readDocUri.ts';

function log(bytes: Hex) {
  return { data: encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes32' }], [bytes, zeroHash]) };
}

test.for(['', 'ipfs://agreement/1', 'ünïcode \u{1f600}', 'line\nbreak', '\ufeffhttps://a/b', 'a\ufeffb'])(
  'the text %j is stored unchanged',
  (text) => {
    expect(readDocUri(log(stringToHex(text)))).toEqual({ docUri: text, docUriBytes: null });
  },
);

test.for<Hex>(['0x6100', '0xff', '0x61c3', '0xeda080'])(
  'the bytes %s, which are no text to store, are kept',
  (bytes) => {
    const { docUri, docUriBytes } = readDocUri(log(bytes));
    expect(docUri).toMatch(/\ufffd$/);
    expect(docUri).not.toContain('\u0000');
    expect(docUriBytes).toBe(bytes);
  },
);
