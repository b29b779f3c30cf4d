import { escapeHtml } from '../documents/escapeHtml.ts';

/** A line of a description as HTML: text in backticks is code. */
export function writeInline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** A description as HTML: an empty line ends a paragraph, and lines that begin with "- " are a list. */
export function writeProse(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map(writeParagraph)
    .join('\n');
}

/** A table with a caption for screen readers; empty without rows. Cells are HTML. */
function writeParagraph(paragraph: string): string {
  const lines = paragraph.split('\n');
  if (!lines.every((line) => line.startsWith('- '))) return `<p>${writeInline(paragraph)}</p>`;
  return `<ul>\n${lines.map((line) => `<li>${writeInline(line.slice(2))}</li>`).join('\n')}\n</ul>`;
}

export function writeTable(caption: string, columns: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) return '';
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = rows.map(([first = '', ...cells]) => {
    const others = cells.map((cell) => `<td>${cell}</td>`).join('');
    return `<tr><th scope="row">${first}</th>${others}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>`;
}
