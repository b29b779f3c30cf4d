import { type Edit, editPonder } from './editPonder.ts';

const edits: ReadonlyMap<string, readonly Edit[]> = new Map([
  [
    'sync-historical/index.js',
    [
      [
        `const range = hexToNumber(getLogsErrorResponse.ranges[0].toBlock) -
                hexToNumber(getLogsErrorResponse.ranges[0].fromBlock);`,
        `const range = Math.max(1, hexToNumber(getLogsErrorResponse.ranges[0].toBlock) -
                hexToNumber(getLogsErrorResponse.ranges[0].fromBlock));`,
      ],
      [
        'Math.round(logsRequestMetadata.estimatedRange * 1.05)',
        'Math.ceil(logsRequestMetadata.estimatedRange * 1.05)',
      ],
    ],
  ],
]);

/**
 * After some answers of nodes Ponder halves the ranges whose logs it asks for, also if a node is only unwell for a moment. It
 * would halve a range of two blocks to none, and cut it for ever; and a range below ten blocks would never grow again.
 * Call it before Ponder is loaded.
 */
export function boundLogRanges(): void {
  editPonder(edits);
}
