import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleDirectory } from '../../../console/build/buildConsole.ts';
import { isConsoleStale } from '../../../console/build/isConsoleStale.ts';
import { ensureConsole } from '../../../src/cli/console/ensureConsole.ts';

const sources = fileURLToPath(new URL('../../../console/src/', import.meta.url));
const kilobyte = 1_000;

/** The compressed size of a built file in bytes. */
const weigh = (path: string) => gzipSync(readFileSync(join(consoleDirectory, path)), { level: 9 }).length;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** These built files, and all files that they load at once. */
function closure(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = readFileSync(join(consoleDirectory, 'assets', name), 'utf8');
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g))
      queue.push(imported);
  }
  return found;
}

describe('the console', () => {
  let assets: string[];
  beforeAll(async () => {
    await ensureConsole();
    assets = readdirSync(join(consoleDirectory, 'assets'));
  });
  const named = (name: string) => assets.filter((asset) => asset.startsWith(`${name}-`));

  test('is up to date once it is built', () => {
    expect(isConsoleStale()).toBe(false);
  });

  test('has a first view of at most 100 kB and 180 kB in all, without what signs', () => {
    const weighAll = (names: Iterable<string>) => sum([...names].map((name) => weigh(join('assets', name))));
    const first = closure([...named('index'), ...named('agreementsPage')]);
    const pages = closure(
      assets.filter((name) => /^(index|operators|markdownText|\w+Page)-.*\.js$/.test(name)),
    );
    // Loaded only when somebody signs; checking evidence loads a part of it.
    const signing = new Set(
      [...closure([...named('signing'), ...named('signLogin'), ...named('ccip')])].filter(
        (name) => !pages.has(name),
      ),
    );
    const withoutSigning = assets.filter((name) => !signing.has(name));
    const htmls = readdirSync(consoleDirectory).filter((name) => name.endsWith('.html'));
    expect(weighAll(first) + weigh('index.html')).toBeLessThanOrEqual(100 * kilobyte);
    expect(weighAll(withoutSigning) + sum(htmls.map(weigh))).toBeLessThanOrEqual(180 * kilobyte);
    expect([...pages].filter((name) => /^(signing|signLogin|checkFile)-/.test(name))).toEqual([]);
  });

  test('has pages without any script or style inside', () => {
    for (const page of readdirSync(consoleDirectory).filter((name) => name.endsWith('.html'))) {
      const html = readFileSync(join(consoleDirectory, page), 'utf8');
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
      expect(html).toMatch(/<script type="module" crossorigin src="\/[\w/]+-[\w-]{8}\.js">/);
    }
  });

  test('has no text outside its texts', () => {
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
    const found = files
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) => {
        const text = readFileSync(join(sources, file), 'utf8');
        // A word between tags, or in an attribute that people see or hear.
        const shown = text.matchAll(/<\/?[\w.]+[^<>={}]*>\s*([A-Za-z]{2,}[^<>{}=;()]*)<\//g);
        const heard = text.matchAll(/\s(?:aria-label|title|label|placeholder|alt)="([^"]+)"/g);
        return [...shown, ...heard].map(([, words = '']) => `${file}: ${words.trim()}`);
      });
    expect(found).toEqual([]);
  });
});
