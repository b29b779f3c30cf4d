import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const relativeImport = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
/** From the ground up; the three processes share a floor and know nothing of each other. */
const floors = [['protocol'], ['platform'], ['records'], ['indexer', 'api', 'worker'], ['cli']];

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const arrows = files.flatMap((from) =>
  [...readFileSync(join(source, from), 'utf8').matchAll(relativeImport)]
    .map(([, path = '']) => ({ from, to: normalize(join(dirname(from), path)) }))
    .filter(({ to }) => !to.startsWith('..')),
);

/** `platform/database` of `platform/database/tables/inputs.ts`; a part of the house without rooms is one room. */
function roomOf(file: string): string {
  const [part = '', room = '', ...rest] = file.split('/');
  return part === 'protocol' || rest.length === 0 ? part : `${part}/${room}`;
}

function floorOf(file: string): number {
  const [part = ''] = file.split('/');
  return floors.findIndex((parts) => parts.includes(part));
}

describe('the house', () => {
  test('every file belongs to a floor', () => {
    expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
  });

  test('no file knows a floor above its own, and no process another one', () => {
    const wrong = arrows.filter(({ from, to }) => {
      const isProcess = floorOf(from) === floorOf(to) && floorOf(from) === 3;
      return floorOf(to) > floorOf(from) || (isProcess && from.split('/')[0] !== to.split('/')[0]);
    });
    expect(wrong).toEqual([]);
  });

  test('no room knows, directly or through others, one that knows it', () => {
    const known = new Map<string, Set<string>>();
    for (const { from, to } of arrows) {
      const [room, other] = [roomOf(from), roomOf(to)];
      if (room !== other) known.set(room, (known.get(room) ?? new Set()).add(other));
    }
    const reach = (room: string, found = new Set<string>()): Set<string> => {
      for (const other of known.get(room) ?? []) if (!found.has(other)) reach(other, found.add(other));
      return found;
    };
    expect([...known.keys()].filter((room) => reach(room).has(room))).toEqual([]);
  });

  test('no two files of one name mean different things', () => {
    const sharedOnPurpose = new Set(['index.ts']);
    const paths = new Map<string, string[]>();
    for (const file of files) {
      const name = file.slice(file.lastIndexOf('/') + 1);
      if (!sharedOnPurpose.has(name)) paths.set(name, [...(paths.get(name) ?? []), file]);
    }
    expect([...paths.values()].filter((same) => same.length > 1)).toEqual([]);
  });
});
