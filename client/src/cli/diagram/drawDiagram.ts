import { drawMermaid } from './drawMermaid.ts';
import { drawSvg } from './drawSvg.ts';
import { readStates } from './readStates.ts';

/** The states of a document and the inputs between them; the current state is highlighted. */
export function drawDiagram(
  agreement: unknown,
  { current, as = 'mermaid' }: { current?: string | undefined; as?: 'mermaid' | 'svg' } = {},
): string {
  const graph = readStates(agreement);
  return as === 'svg' ? drawSvg(graph, current) : drawMermaid(graph, current);
}
