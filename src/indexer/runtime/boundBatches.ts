import { registerHooks } from 'node:module';

/**
 * Ponder reads logs of the past in batches: this many, divided by one more than the number of chains, and six more. Its own
 * number, 12,000, takes gigabytes if each log has a large payload, which anyone can send to some agreements.
 */
const mostLogs = 800;

/** The characters of rows that are sent at once, up to the end of a row. Ponder's single text for a batch could be too long for a string. */
const portionLength = 1_048_576;

type Edit = readonly [text: string, replacement: string];

/** In Ponder's modules. Each text is there once. */
const edits: ReadonlyMap<string, readonly Edit[]> = new Map([
  ['internal/options.js', [['syncEventsQuerySize: 12_000', `syncEventsQuerySize: ${mostLogs}`]]],
  [
    'indexing-store/cache.js',
    [
      [
        'import copy from "pg-copy-streams";',
        'import copy from "pg-copy-streams"; import { pipeline } from "node:stream/promises";',
      ],
      ['getCopyText = (table, rows) => {', 'getCopyText = function* (table, rows) {'],
      [
        'result += "\\n";',
        `result += "\\n"; if (result.length > ${portionLength}) { yield result; result = ""; }`,
      ],
      [
        '    return result;\n};\nexport const getCopyHelper',
        '    yield result;\n};\nexport const getCopyHelper',
      ],
      [
        'copyStream.on("finish", resolve);\n                copyStream.on("error", reject);\n                copyStream.write(text);\n                copyStream.end();',
        'pipeline(text, copyStream).then(resolve, reject);',
      ],
    ],
  ],
]);

const ofPonder = /\/node_modules\/ponder\/dist\/esm\/(.+)$/;

/**
 * Bounds the memory that Ponder takes for a batch of the past: fewer logs, and rows that are written in portions. Call it before
 * Ponder is loaded.
 *
 * @throws Error when Ponder is loaded, if it is another version than these edits are for.
 */
export function boundBatches(): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const [, name = ''] = ofPonder.exec(url) ?? [];
      const own = edits.get(name);
      if (!own) return loaded;
      const { source } = loaded;
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
      return { ...loaded, source: own.reduce((edited, edit) => apply(edited, edit, name), text) };
    },
  });
}

function apply(source: string, [text, replacement]: Edit, name: string): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`Ponder's module ${name} is not the expected one: ${text}`);
  return parts.join(replacement);
}
