import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const relativeImport = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
/** From the bottom up. The three processes share a floor, and none imports another. */
const floors = [['protocol'], ['platform'], ['records'], ['indexer', 'api', 'worker'], ['cli']];

type Arrow = { from: string; to: string };

const listFiles = (directory: string, ending: RegExp) =>
  readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).filter((file) =>
    ending.test(file),
  );

/** The imports between files of one directory. */
function listArrows(directory: string, ending: RegExp): Arrow[] {
  return listFiles(directory, ending).flatMap((from) =>
    [...readFileSync(join(root, directory, from), 'utf8').matchAll(relativeImport)]
      .map(([, path = '']) => ({ from, to: normalize(join(dirname(from), path)) }))
      .filter(({ to }) => !to.startsWith('..')),
  );
}

const files = listFiles('src', /\.ts$/);
const arrows = listArrows('src', /\.ts$/);

/** The names from which a chain of imports leads back to the same name. */
function listCircles(among: readonly Arrow[]): string[] {
  const known = Map.groupBy(among, ({ from }) => from);
  const reach = (from: string, found = new Set<string>()): Set<string> => {
    for (const { to } of known.get(from) ?? []) if (!found.has(to)) reach(to, found.add(to));
    return found;
  };
  return [...known.keys()].filter((each) => reach(each).has(each));
}

/**
 * The room of a file: `platform/database` for `platform/database/tables/inputs.ts`. A part without rooms is
 * one room.
 */
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
    const between = arrows.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }));
    expect(listCircles(between.filter(({ from, to }) => from !== to))).toEqual([]);
  });

  test.each(['src', 'client/src', 'console/src'])('no two files of %s know each other', (directory) => {
    const within = listArrows(directory, /\.tsx?$/);
    expect(within.length).toBeGreaterThan(50);
    expect(listCircles(within)).toEqual([]);
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

  test('every file that ARCHITECTURE.md names is there', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`((?:src|client|test)\/[\w./]+\.tsx?)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
