/** The program's exit codes, by failure. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  access: 3,
  notFound: 4,
  unreachable: 5,
  failed: 6,
  stopped: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that the caller can fix, in one sentence. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}
