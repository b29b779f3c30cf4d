import type { CallToolResult } from '@modelcontextprotocol/server';
import { charactersPerToken, usualTokens } from './answerSize.ts';
import type { AnswerData, ToolAnswer } from './defineTool.ts';
import { escapeUnseen } from './escapeUnseen.ts';
import { type Fitted, fitAnswer } from './fitAnswer.ts';

/** The part of an answer that its sentences may take, as one of so many. */
const sentencesPart = 4;
const cutNotice = '\nParts are left out for length; the member omitted names them.';
/** For clients that show only text, if the least data do not fit twice. */
const onlyStructured =
  'The data are in structuredContent alone. Call again with a larger maxTokens to get them as text.';

/**
 * Writes a tool's answer in both forms: as structured content, and as text for clients that show nothing else
 * to their model. Both together keep the answer's size. A page of a list that is cut is read again with fewer
 * items, so that its cursor skips none.
 */
export async function writeAnswer(answer: ToolAnswer): Promise<CallToolResult> {
  const { data, page } = answer;
  if (data === undefined) return { content: [{ type: 'text', text: answer.text }] };
  const { text, fitted, omitted, fits } = shorten(answer, data);
  if (page) {
    const shown = page.count(fitted);
    if (shown < page.count(data)) return writeAnswer(await page.read(shown));
  }
  const structuredContent = omitted.length === 0 ? { ...fitted } : { ...fitted, omitted };
  return {
    content: [
      { type: 'text', text: `${text}${omitted.length === 0 ? '' : cutNotice}` },
      { type: 'text', text: fits ? escapeUnseen(JSON.stringify(structuredContent)) : onlyStructured },
    ],
    structuredContent,
  };
}

function shorten(
  { text, maxTokens = usualTokens }: ToolAnswer,
  data: AnswerData,
): Omit<Fitted<AnswerData>, 'answer'> & { text: string; fitted: AnswerData } {
  const size = maxTokens * charactersPerToken;
  const sentences = cutSentences(text, Math.floor(size / sentencesPart));
  const { answer: fitted, ...rest } = fitAnswer(data, size - measureFrame(sentences), measureTwice);
  return { text: sentences, fitted, ...rest };
}

/** Names of the parties stay inside of their quotes. */
function cutSentences(text: string, most: number): string {
  let kept = text;
  for (let size = JSON.stringify(kept).length; size > most; size = JSON.stringify(kept).length) {
    const length = Math.min(kept.length - 1, Math.floor((kept.length * most) / size));
    kept = text.slice(0, length);
  }
  if (kept === text) return text;
  const cut = kept.slice(0, -3).toWellFormed();
  let isOpen = false;
  for (const [part] of cut.matchAll(/\\.?|"/gs)) if (part === '"') isOpen = !isOpen;
  return isOpen ? `${cut.replace(/\\+$/, '')}…"` : `${cut}…`;
}

/** Characters of the result without its data. */
function measureFrame(text: string): number {
  const content = [
    { type: 'text', text: `${text}${cutNotice}` },
    { type: 'text', text: '' },
  ];
  return JSON.stringify({ content, structuredContent: '' }).length + measureTwice('"omitted":,');
}

/** Characters of JSON as structured content, and inside a text, which has more escapes. */
function measureTwice(json: string): number {
  return json.length + JSON.stringify(escapeUnseen(json)).length - 2;
}
