import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeIndexSchemaName } from '../../../src/indexer/runtime/indexSchema.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const factory = '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e';
const one = { chainId: 1, name: 'One', factory } as const;
const two = { chainId: 2, name: 'Two', factory } as const;

const name = (
  chains: Parameters<typeof computeIndexSchemaName>[0]['chains'],
  ...startBlocks: [number, number][]
) => computeIndexSchemaName({ root, chains, startBlocks: new Map(startBlocks) });

test('the same chains in any order have the same schema', () => {
  expect(name([one, two])).toMatch(/^chain_index_[0-9a-f]{12}$/);
  expect(name([two, one])).toBe(name([one, two]));
});

test('another chain, factory or start block makes another schema', () => {
  const other = { ...two, factory: '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8' } as const;
  const names = [name([one]), name([one, two]), name([one, other]), name([one, two], [2, 5])];
  const givenUp = { root, chains: [one], startBlocks: new Map(), generations: new Map([[1, 1]]) };
  names.push(computeIndexSchemaName(givenUp));
  expect(new Set(names).size).toBe(names.length);
});

describe('the modules of the index', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'index-modules-'));
    for (const part of ['abis', 'src', 'ponder.config.ts', 'ponder.schema.ts'])
      cpSync(join(root, part), join(copy, part), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  /** The schema names before and after a change of one file, in a copy of the project's code. */
  function rename(file: string, change: (source: string) => string): { before: string; after: string } {
    const nameCopy = () => computeIndexSchemaName({ root: copy, chains: [one], startBlocks: new Map() });
    const before = nameCopy();
    const source = readFileSync(join(copy, file), 'utf8');
    const changed = change(source);
    expect(changed).not.toBe(source);
    writeFileSync(join(copy, file), changed);
    const after = nameCopy();
    writeFileSync(join(copy, file), source);
    return { before, after };
  }

  test.each([
    [
      'the wording of a warning',
      'src/protocol/flowWarnings.ts',
      (source: string) => source.replaceAll(' never ', ' not ever '),
    ],
    [
      'a file of the protocol that no handler uses',
      'src/protocol/index.ts',
      (source: string) => `${source}export const more = 1;\n`,
    ],
    ['the API', 'src/api/createApi.ts', (source: string) => `${source}export const more = 1;\n`],
    [
      'a comment in a handler',
      'src/indexer/handlers/heads.ts',
      (source: string) => `/** More. */\n${source}`,
    ],
    [
      'the layout of a handler',
      'src/indexer/handlers/heads.ts',
      (source: string) => source.replaceAll('\n', '\n\n'),
    ],
    [
      'a type',
      'src/indexer/decoding/storableText.ts',
      (source: string) => `export type More = string;\n${source}`,
    ],
  ])('are as they were after a change of %s', (_what, file, change) => {
    const { before, after } = rename(file, change);
    expect(after).toBe(before);
  });

  test.each([
    ['a handler', 'src/indexer/handlers/heads.ts', (source: string) => `${source}console.log('more');\n`],
    [
      'decoding',
      'src/protocol/decodeValue.ts',
      (source: string) =>
        source.replace('export function decodeValue', 'const more = 1;\nexport function decodeValue'),
    ],
    [
      'a table',
      'ponder.schema.ts',
      (source: string) => source.replace('payload: t.hex().notNull()', 'payload: t.hex()'),
    ],
    ['an ABI', 'abis/AgreementEngine.ts', (source: string) => source.replace('InputAccepted', 'InputTaken')],
  ])('are others after a change of %s', (_what, file, change) => {
    const { before, after } = rename(file, change);
    expect(after).not.toBe(before);
  });
});
