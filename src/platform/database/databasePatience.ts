/** How long a process waits at its start for a database that is being started beside it. */
export const databasePatienceMs = 60_000;
