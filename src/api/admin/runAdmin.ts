import { CommanderError } from 'commander';
import pino from 'pino';
import { AdministrationError } from '../access/administrationError.ts';
import { ConfigurationError } from '../config/configurationError.ts';
import { loadSecretFiles } from '../config/secretFiles.ts';
import { createDatabase } from '../database/database.ts';
import { migrateDatabase } from '../database/migrateDatabase.ts';
import { ServiceError } from '../errors/serviceError.ts';
import { readAdministrationSettings } from './administrationSettings.ts';
import { buildProgram } from './buildProgram.ts';
import type { ProgramContext } from './programContext.ts';

export type AdminOptions = {
  /** The words of the command line, without the program. */
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  print(text: string): void;
  printError(text: string): void;
  /** Settles when the program is asked to stop. */
  awaitStop?(): Promise<unknown>;
};

/** Runs one command and returns its exit code: 0, or 1 with the reason printed. With `--json` the reason is JSON too. */
export async function runAdmin(options: AdminOptions): Promise<number> {
  const { words, env, print, printError, awaitStop = () => Promise.resolve() } = options;
  const asJson = words.includes('--json');
  const withDatabase: ProgramContext['withDatabase'] = async (run) => {
    loadSecretFiles(env);
    const settings = readAdministrationSettings(env);
    const { databaseUrl: url } = settings;
    await migrateDatabase(url);
    const logger = pino({ level: 'silent' });
    const handle = createDatabase({ url, applicationName: 'agreements admin', maxConnections: 1, logger });
    try {
      const answer = await run(handle.database, settings);
      print(asJson ? JSON.stringify(answer.value, null, 2) : answer.text);
    } finally {
      await handle.close();
    }
  };
  const program = buildProgram({
    withDatabase,
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
  // A refused connection to a name with several addresses says nothing itself.
  const told = cause instanceof AggregateError ? cause.errors.map(String).join('; ') : String(cause);
  return `The database did not do what was asked: ${told}`;
}
