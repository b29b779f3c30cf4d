import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { computeIndexSchemaName } from '../../../src/api/indexer/indexSchema.ts';

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
  expect(new Set(names).size).toBe(names.length);
});
