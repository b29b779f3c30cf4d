import { type Edit, editPonder } from './editPonder.ts';

const edits: ReadonlyMap<string, readonly Edit[]> = new Map([
  [
    'indexing-store/profile.js',
    [
      [
        `case "log": {
            // Note: explicitly skip profiling args if they are an array
            if (event.event.args !== undefined &&
                Array.isArray(event.event.args) === false) {
                for (const argKey of Object.keys(event.event.args)) {`,
        `case "log": {
            // Note: explicitly skip profiling args if they are an array
            if (event.event.args !== undefined &&
                Array.isArray(event.event.args) === false) {
                for (const argKey of listKeyArguments(event)) {`,
      ],
      [
        'const delimiters =',
        `const listKeyArguments = ({ event, eventCallback }) => eventCallback.abiItem.inputs
    .filter(({ type, name }) => (type === "address" || type === "bytes32") && name in event.args)
    .map(({ name }) => name);
const isWhole = (row) => Object.values(row).every((part) => part !== null && part !== undefined);
const delimiters =`,
      ],
      [
        'for (const hint of hints) {',
        `for (const hint of hints) {
        if (!isWhole(recoverProfilePattern(hint, event)))
            continue;`,
      ],
    ],
  ],
  [
    'indexing-store/cache.js',
    [
      [
        'const row = recoverProfilePattern(pattern, event);',
        `const row = recoverProfilePattern(pattern, event);
                                if (Object.values(row).some((part) => part === null || part === undefined))
                                    continue;`,
      ],
    ],
  ],
]);

/**
 * Lets Ponder learn only from addresses and hashes in events which keys these need. It also compares texts and numbers by
 * their decimal form: a stranger's text that equals a block's number would count as the source of that number, and
 * the next text, which is no number, would end the index. Call it before Ponder is loaded.
 */
export function learnKeys(): void {
  editPonder(edits);
}
