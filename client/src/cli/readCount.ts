import { CliError } from './cliError.ts';

/** @throws CliError for what is no whole number above zero. */
export function readCount(text: string, option: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new CliError(`${option} takes a number above 0.`);
}
