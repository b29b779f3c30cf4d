const variablePattern = /\$\{variables\.(\w+)/;
const contractPattern = /\$\{contracts\.(\w+)\.address\}/;

/**
 * The variable that a text refers to: the first `${variables.NAME` in it, NAME being the longest run of word
 * characters. The text around it is ignored.
 */
export function findVariableReference(text: string): string | undefined {
  return variablePattern.exec(text)?.[1];
}

/** The contract of the first `${contracts.NAME.address}` in a text. */
export function findContractReference(text: string): string | undefined {
  return contractPattern.exec(text)?.[1];
}

/** Every variable that a text names, each once, in order of appearance. */
export function listVariableReferences(text: string): string[] {
  const names = Array.from(text.matchAll(new RegExp(variablePattern, 'g')), ([, name]) => name ?? '');
  return [...new Set(names)];
}
