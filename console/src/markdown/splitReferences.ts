const reference = /\$\{variables\.(\w+)(?:\.value)?\}/g;

/** A text's parts, in turn: text, the name of a variable, text, and so on to a last text; each may be empty. */
export function splitReferences(template: string): string[] {
  return template.split(reference);
}
