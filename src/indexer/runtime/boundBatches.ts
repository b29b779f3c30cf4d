import { type Edit, editPonder } from './editPonder.ts';

/**
 * Ponder reads logs of the past in batches: this many, divided by one more than the number of chains, and six more. Its own
 * number, 12,000, takes gigabytes if each log has a large payload, which anyone can send to some agreements.
 */
const mostLogs = 800;

/** The characters of rows that are sent at once, up to the end of a row. Ponder's single text for a batch could be too long for a string. */
const portionLength = 1_048_576;

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

/**
 * Bounds the memory that Ponder takes for a batch of the past: fewer logs, and rows that are written in portions. Call it before
 * Ponder is loaded.
 */
export function boundBatches(): void {
  editPonder(edits);
}
