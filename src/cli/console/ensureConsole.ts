/**
 * Builds the console if it is missing or older than its sources. Does nothing without sources, as in the
 * container, which contains the built console.
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
