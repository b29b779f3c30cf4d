import type { CallToolResult } from '@modelcontextprotocol/server';
import { charactersPerToken, usualTokens } from './answerSize.ts';
import type { AnswerData, ToolAnswer } from './defineTool.ts';
import { fitAnswer, type Omission } from './fitAnswer.ts';

/** Characters kept free for the list of omissions. */
const noteRoom = 1_200;

/**
 * Writes a tool's answer in both forms: as structured content, and as text for clients that show nothing else
 * to their model. Both together keep the answer's size. A page of a list that is cut is read again with fewer
 * items, so that its cursor skips none.
 */
export async function writeAnswer(answer: ToolAnswer): Promise<CallToolResult> {
  const { text, data, page } = answer;
  if (data === undefined) return { content: [{ type: 'text', text }] };
  const { fitted, omitted } = shorten(answer, data);
  if (page) {
    const shown = page.count(fitted);
    if (shown < page.count(data)) return writeAnswer(await page.read(shown));
  }
  const structuredContent = omitted.length === 0 ? { ...fitted } : { ...fitted, omitted };
  const cut = omitted.length === 0 ? '' : '\nParts are left out for length; the member omitted names them.';
  return {
    content: [
      { type: 'text', text: `${text}${cut}` },
      { type: 'text', text: JSON.stringify(structuredContent) },
    ],
    structuredContent,
  };
}

function shorten(
  { text, maxTokens = usualTokens }: ToolAnswer,
  data: AnswerData,
): { fitted: AnswerData; omitted: Omission[] } {
  const room = maxTokens * charactersPerToken - measureFrame(text);
  if (measureTwice(data) <= room) return { fitted: data, omitted: [] };
  const { answer: fitted, omitted } = fitAnswer(data, room - noteRoom, measureTwice);
  return { fitted, omitted };
}

/** Characters of the result without its data. */
function measureFrame(text: string): number {
  const content = [
    { type: 'text', text },
    { type: 'text', text: '' },
  ];
  return JSON.stringify({ content, structuredContent: '' }).length;
}

/** Characters of the data as structured content, and inside a text. */
function measureTwice(data: AnswerData): number {
  const json = JSON.stringify(data);
  return json.length + JSON.stringify(json).length;
}
