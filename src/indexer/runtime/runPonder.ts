export type PonderOptions = {
  /** The folder in which Ponder looks for ponder.config.ts, ponder.schema.ts and `src`. */
  root: string;
  schema: string;
  /** Where its views are made once it has caught up. Without it views stay as they are. */
  viewsSchema?: string;
  host: string;
  port: number;
  logLevel: string;
};

/**
 * Loads the code for `runPonder`, which takes seconds of processor time; a standby does this before it is
 * needed. Call it after `resolveQuickly`.
 */
export async function loadPonder(): Promise<void> {
  await import(new URL('bin/commands/start.js', import.meta.resolve('ponder')).href);
  // The imports of its configuration and its server.
  await import('ponder');
}

/**
 * Runs `ponder start` in this process, so that nothing is left behind when the process is killed. From then
 * on Ponder handles the signals and exits by itself: 0 after a signal, 1 for a permanent error, 75 if another
 * start may help.
 */
export async function runPonder(options: PonderOptions): Promise<void> {
  const { root, schema, viewsSchema, host, port, logLevel } = options;
  // Ponder prefers the variable to the flag, and PORT is the service's.
  process.env.PORT = String(port);
  // Ponder would use the variable if the flag is not given.
  delete process.env.DATABASE_VIEWS_SCHEMA;
  // Ponder reads a `.env.local` in the working directory, which may hold secrets that are not for the
  // indexer.
  process.chdir(new URL('.', import.meta.url).pathname);
  process.argv.splice(
    1,
    process.argv.length,
    'ponder',
    'start',
    ...['--root', root],
    ...['--schema', schema],
    ...(viewsSchema === undefined ? [] : ['--views-schema', viewsSchema]),
    ...['--hostname', host],
    ...['--port', String(port)],
    ...['--log-level', logLevel],
    ...['--log-format', 'json'],
  );
  // Ponder's use of the database client is deprecated; the client says so on standard error, between the lines of the
  // log.
  process.noDeprecation = true;
  const program = new URL('bin/ponder.js', import.meta.resolve('ponder'));
  await import(program.href);
}
