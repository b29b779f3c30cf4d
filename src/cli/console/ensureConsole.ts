/**
 * Builds the console where it is not built, or is older than its sources. Where there are no sources, as in the container, which
 * has it built in, nothing is to be done.
 *
 * @returns whether it was built now.
 */
export async function ensureConsole(): Promise<boolean> {
  const { isConsoleStale } = await import('../../../console/build/isConsoleStale.ts');
  if (!isConsoleStale()) return false;
  const { buildConsole } = await import('../../../console/build/buildConsole.ts');
  await buildConsole();
  return true;
}
