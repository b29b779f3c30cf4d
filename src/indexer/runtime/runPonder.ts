export type PonderOptions = {
  /** Where Ponder looks for ponder.config.ts, ponder.schema.ts and `src`. */
  root: string;
  schema: string;
  viewsSchema: string;
  host: string;
  port: number;
  logLevel: string;
};

/**
 * Loads the code that `runPonder` runs, which takes seconds of a processor: one that stands by does so before it is needed. To be
 * called after `useQuickEntity`.
 */
export async function loadPonder(): Promise<void> {
  await import(new URL('bin/commands/start.js', import.meta.resolve('ponder')).href);
  // What its configuration and its server import.
  await import('ponder');
}

/**
 * Runs `ponder start` within this process, so that nothing is left behind when the process is killed. Ponder handles the
 * signals from then on and ends the process itself: 0 after a signal, 1 for what cannot be helped, 75 for what another start
 * may help.
 */
export async function runPonder(options: PonderOptions): Promise<void> {
  const { root, schema, viewsSchema, host, port, logLevel } = options;
  // Ponder prefers the variable to the flag, and PORT is that of the service.
  process.env.PORT = String(port);
  // Ponder reads a `.env.local` of the working directory, in which an operator may keep what is not for the indexer.
  process.chdir(new URL('.', import.meta.url).pathname);
  process.argv.splice(
    1,
    process.argv.length,
    'ponder',
    'start',
    ...['--root', root],
    ...['--schema', schema],
    ...['--views-schema', viewsSchema],
    ...['--hostname', host],
    ...['--port', String(port)],
    ...['--log-level', logLevel],
    ...['--log-format', 'json'],
  );
  // Ponder's way with the database client is deprecated there; it says so on standard error, amid the log.
  process.noDeprecation = true;
  const program = new URL('bin/ponder.js', import.meta.resolve('ponder'));
  await import(program.href);
}
