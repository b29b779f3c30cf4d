import { type Edit, editPonder } from './editPonder.ts';

const edits: ReadonlyMap<string, readonly Edit[]> = new Map([
  [
    'sync-realtime/index.js',
    [
      [
        'onError(_error, block);',
        `if (latestFetchedBlock === block)
                    latestFetchedBlock = undefined;
                onError(_error, block);`,
      ],
    ],
  ],
]);

/**
 * Lets Ponder try the newest block again after it has failed to fetch it, as from a node that lacks its logs for a moment. Ponder
 * would take it for one that is still being fetched, and pass over it until another block follows: for ever on a chain
 * that stands still. Call it before Ponder is loaded.
 */
export function retryFailedBlocks(): void {
  editPonder(edits);
}
