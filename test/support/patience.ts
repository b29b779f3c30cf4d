/**
 * For waits that include the start of processes. An indexer needs about five seconds of CPU time to load its
 * code, and a whole service has three processes. On a busy machine with two processors, the start alone can
 * take a minute.
 */
export const patienceMs = 180_000;
