import type { Command } from 'commander';
import type { AgreementsClient } from '../agreementsClient.ts';
import type { ExitCode } from './cliError.ts';
import { openClient, readSettings, type Settings } from './settings.ts';
import { printJson, type Terminal } from './terminal.ts';

/** A command's output: a value for programs, a text for people. */
export type Answer = { readonly value: unknown; readonly text: string };

/** The dependencies of every command. */
export type Context = {
  readonly terminal: Terminal;
  /** Whether programs read the output. */
  asJson(): boolean;
  /** @throws CliError if no service or key is known. */
  client(): AgreementsClient;
  settings(): Settings;
  answer(answer: Answer): void;
  /** One of many results: a line of JSON, or a line for people. */
  stream(answer: Answer): void;
  /** Exits with this code, without further output. */
  endWith(code: ExitCode): void;
};

/** The way a command ends after all of its output. */
export type Ending = { code: ExitCode };

/** Reads the options shared by all commands from the program's root. */
export function createContext(terminal: Terminal, program: Command, ending: Ending): Context {
  const options = () => program.opts<{ json?: boolean; url?: string; apiKey?: string }>();
  const asJson = () => options().json === true;
  const settings = () => {
    const { url, apiKey } = options();
    return readSettings(terminal.env, { ...(url && { baseUrl: url }), ...(apiKey && { apiKey }) });
  };
  return {
    terminal,
    asJson,
    settings,
    client: () => openClient(settings()),
    answer: ({ value, text }) => (asJson() ? printJson(terminal, value, 2) : terminal.print(text)),
    endWith: (code) => {
      ending.code = code;
    },
    stream: ({ value, text }) => (asJson() ? printJson(terminal, value) : terminal.print(text)),
  };
}

/** For an option that can be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
