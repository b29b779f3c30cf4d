import { findChain } from '../../protocol/chains.ts';
import { showUnseen } from '../../protocol/showUnseen.ts';
import { fillTemplate } from '../../records/documents/fillTemplate.ts';
import { escapeHtml } from './escapeHtml.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { ownPolicy } from './pagePolicy.ts';
import { pageStyle } from './pageStyle.ts';
import { renderContent, writePlain } from './renderContent.ts';

/** The page of a document, rendered and sanitised. Like `renderContent`, without a time limit. */
export function buildPage(document: HostedDocument): string {
  const { html, isCut } = renderContent(document, document.values);
  const note = isCut
    ? 'Parts of this text are left out here, such as scripts, comments, images and addresses. The Markdown form includes them.'
    : undefined;
  return writePage(document, { html, note });
}

/** The page with the text as written, for texts that take too long to render. Linear in its size. */
export function buildPlainPage(document: HostedDocument): string {
  const text = showUnseen(fillTemplate(document.template, document.values));
  const note = 'Rendering this text took too long. It is shown as written.';
  return writePage(document, { html: writePlain(escapeHtml(text)), note });
}

function writePage(
  document: HostedDocument,
  { html, note }: { html: string; note: string | undefined },
): string {
  const name = escapeHtml(showUnseen(document.displayName));
  const chain = escapeHtml(findChain(document.chainId)?.name ?? `Chain ${document.chainId}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(ownPolicy)}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<p class="kind">Agreement</p>
<p class="name"><bdi>${name}</bdi></p>
<p class="place">${document.agreementAddress === undefined ? `${chain}, not deployed` : chain}</p>
</header>
${note === undefined ? '' : `<p class="note" role="note">${note}</p>\n`}<main lang="">
${html}
</main>
${writeFooter(document, chain)}
</body>
</html>
`;
}

function writeFooter(document: HostedDocument, chain: string): string {
  const { docHash, agreementAddress, chainId, documentId, docUri, agreementId, updatedAt } = document;
  const facts = [
    ['Document hash', docHash],
    ['Contract', agreementAddress],
    ['Record', agreementId],
    ['Document id', documentId],
    ['Document URI', docUri],
  ].flatMap(([term, text]) =>
    text === undefined
      ? []
      : [`<dt>${term}</dt><dd class="exact"><bdi>${escapeHtml(showUnseen(text))}</bdi></dd>`],
  );
  return `<footer>
<dl>
${facts.join('\n')}
<dt>Chain</dt><dd>${chain} (${chainId})</dd>
<dt>As of</dt><dd><time datetime="${escapeHtml(updatedAt)}">${escapeHtml(writeInstant(updatedAt))}</time></dd>
</dl>
<p>The document hash is the Keccak-256 of the agreement’s JSON, character by character as its record holds it, and the contract
returns it as <code>docHash</code>: computed again, it shows whether this is the text that was signed. It does not cover the values, which are
those of the record; a marked name <span class="blank">[in brackets]</span> stands where none is known yet.</p>
</footer>`;
}

const instantFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

function writeInstant(instant: string): string {
  return `${instantFormat.format(new Date(instant))} UTC`;
}
