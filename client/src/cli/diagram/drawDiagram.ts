import { drawMermaid } from './drawMermaid.ts';
import { drawSvg } from './drawSvg.ts';
import { readStates } from './readStates.ts';

/** The states of a document and the inputs that lead from one to the other; the current state stands out. */
export function drawDiagram(
  agreement: unknown,
  { current, as = 'mermaid' }: { current?: string | undefined; as?: 'mermaid' | 'svg' } = {},
): string {
  const graph = readStates(agreement);
  return as === 'svg' ? drawSvg(graph, current) : drawMermaid(graph, current);
}
