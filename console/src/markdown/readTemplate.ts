import type { Token } from 'markdown-it';
import { isTextMissed } from '../../../src/protocol/missedText.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { markdown } from './parser.ts';
import { splitReferences } from './splitReferences.ts';

export type ReadTemplate = {
  readonly tokens: readonly Token[];
  /** The variables by the numbers of their marks. */
  readonly names: readonly string[];
  /** Whether a rendering of the tokens would leave out anything. */
  readonly isMissed: boolean;
};

/**
 * Parses a text in Markdown with marks in place of variables: `\uE000`, a number, `\uE001`. No value is ever read as
 * Markdown. No text has those characters, because `showUnseen` replaces them.
 */
export function readTemplate(template: string): ReadTemplate {
  const names: string[] = [];
  const marked = splitReferences(showUnseen(template))
    .map((part, at) => (at % 2 === 0 ? part : `\uE000${names.push(part) - 1}\uE001`))
    .join('');
  const tokens = markdown.parse(marked, {});
  return { tokens, names, isMissed: isTextMissed(marked, tokens) };
}
