import { CliError } from './cliError.ts';

/** @throws CliError for anything but a whole number above 0. */
export function readCount(text: string, option: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new CliError(`${option} takes a whole number above 0.`);
}
