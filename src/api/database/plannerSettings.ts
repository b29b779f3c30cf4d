/**
 * For connections that read lists. Every list has an index in its order; how many rows a combination of filters leaves, the
 * database often takes for far fewer than there are, as states, users and times have to do with each other, and it would rather
 * sort those few. Without sorting where it can be avoided, a page costs what a page costs, whatever the statistics say.
 */
export const orderedReads = { enable_sort: 'off', enable_incremental_sort: 'off' } as const;
