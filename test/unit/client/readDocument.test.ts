import { expect, test } from 'vitest';
import { readDocument } from '../../../client/src/cli/readDocument.ts';
import type { Terminal } from '../../../client/src/cli/terminal.ts';

function terminalWith(text: string): Terminal {
  return {
    env: {},
    columns: undefined,
    colours: false,
    isScreen: false,
    print: () => {},
    printError: () => {},
    readInput: async () => text,
    readSecret: async () => '',
    stopped: new AbortController().signal,
  };
}

test('a document that has a name twice is refused: its reader may take the value that is not signed for the one that is', async () => {
  const text = '{\n  "content": "1 a month",\n  "execution": {},\n  "content": "1,000 a month"\n}';
  await expect(readDocument(terminalWith(text), '-')).rejects.toThrow(
    'The standard input has "content" twice in one object: see line 4.',
  );
});

test('a document with a number that would be read as another one is refused', async () => {
  await expect(readDocument(terminalWith('{\n  "price": 1e400\n}'), '-')).rejects.toThrow(
    'The standard input has a number in line 2 that would be read as null. Write it as text.',
  );
});

test('a document with the same names in different objects is read', async () => {
  const text = '{"a": {"type": "x"}, "b": {"type": "x"}}';
  await expect(readDocument(terminalWith(text), '-')).resolves.toEqual(JSON.parse(text));
});
