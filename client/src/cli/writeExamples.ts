/** The end of a command's help: what can follow `agreements`, a line each. */
export function writeExamples(...examples: readonly string[]): string {
  const title = examples.length > 1 ? 'Examples' : 'Example';
  return `\n${title}:\n${examples.map((example) => `  agreements ${example}`).join('\n')}`;
}
