/** How long a starting process waits for a database that is starting too. */
export const databasePatienceMs = 60_000;
