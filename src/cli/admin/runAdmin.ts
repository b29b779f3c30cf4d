import { CommanderError } from 'commander';
import pino from 'pino';
import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { loadSecretFiles } from '../../platform/config/secretFiles.ts';
import { createDatabase, type DatabaseHandle } from '../../platform/database/database.ts';
import { migrateDatabase } from '../../platform/database/migrateDatabase.ts';
import { ServiceError } from '../../platform/errors/serviceError.ts';
import { AdministrationError } from '../../records/principals/administrationError.ts';
import { type AdministrationSettings, readAdministrationSettings } from './administrationSettings.ts';
import type { Answer } from './answer.ts';
import { buildProgram } from './buildProgram.ts';
import { printable } from './printable.ts';

export type AdminOptions = {
  /** The arguments of the command line, without the program's name. */
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  print(text: string): void;
  printError(text: string): void;
  /** Settles when the program is asked to stop. */
  awaitStop?(): Promise<unknown>;
};

/**
 * Runs one command and returns its exit code: 0, or 1 after printing the reason. With `--json` the reason is
 * JSON too.
 */
export async function runAdmin(options: AdminOptions): Promise<number> {
  const { words, env, awaitStop = () => Promise.resolve() } = options;
  // Callers choose names and URLs freely.
  const print = (text: string) => options.print(printable(text));
  const printError = (text: string) => options.printError(printable(text));
  const asJson = words.includes('--json');
  const withHandle = async (
    run: (handle: DatabaseHandle, settings: AdministrationSettings) => Promise<Answer>,
  ) => {
    loadSecretFiles(env);
    const settings = readAdministrationSettings(env);
    const { databaseUrl: url } = settings;
    await migrateDatabase(url);
    const logger = pino({ level: 'silent' });
    const handle = createDatabase({ url, applicationName: 'agreements admin', maxConnections: 1, logger });
    try {
      const answer = await run(handle, settings);
      print(asJson ? JSON.stringify(answer.value, null, 2) : answer.text);
    } finally {
      await handle.close();
    }
  };
  const program = buildProgram({
    withDatabase: (run) => withHandle(({ database }, settings) => run(database, settings)),
    withPool: (run) => withHandle(({ pool }) => run(pool, env)),
    awaitStop,
    print: (text) => {
      if (!asJson) print(text);
    },
  });
  let complaint = '';
  const output = {
    writeOut: (text: string) => print(text.trimEnd()),
    writeErr: (text: string) => {
      complaint += text;
    },
  };
  for (const command of program.commands.flatMap((group) => [group, ...group.commands]).concat(program)) {
    command.configureOutput(output);
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (asJson) print(JSON.stringify({ error: { message: explain(error) } }, null, 2));
    else printError(complaint.trimEnd() || explain(error));
    return 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof AdministrationError || error instanceof ConfigurationError) return error.message;
  if (error instanceof ServiceError) return error.message;
  if (error instanceof CommanderError) {
    // A group without a command shows its help instead of a message.
    return error.code === 'commander.help' ? 'missing command' : error.message.replace(/^error: /, '');
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // A refused connection to a name with several addresses has no message of its own.
  const message = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : String(cause);
  return `The database did not do what was asked: ${message}`;
}
