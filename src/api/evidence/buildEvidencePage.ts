import { checksumAddress } from 'viem';
import type {
  EvidenceAct,
  EvidenceFinding,
  EvidenceVerdict,
} from '../../protocol/evidence/evidenceVerdict.ts';
import { writeTime } from '../../protocol/evidence/evidenceWords.ts';
import { escapeHtml } from '../documents/escapeHtml.ts';
import { ownPolicy } from '../documents/pagePolicy.ts';
import { pageStyle } from '../documents/pageStyle.ts';

const levelWords = {
  none: 'Not proved',
  signed: 'Signed',
  included: 'Signed, and included in blocks',
  anchored: 'Signed, included, and anchored',
} as const;

/** A verified file as a page that can be printed: who signed what when, what is established, trusted and not shown. */
export function buildEvidencePage(verdict: EvidenceVerdict): string {
  const title = verdict.ok ? `Evidence: ${verdict.name}` : 'Evidence that does not hold';
  const body = verdict.ok ? writeFinding(verdict) : writeRefusal(verdict.message, verdict.path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(ownPolicy)}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function writeRefusal(message: string, path: string): string {
  return `<header><p class="kind">Evidence</p><p class="name">This file does not hold</p></header>
<main><p>${escapeHtml(message)}</p><p>Part: <code>${escapeHtml(path)}</code></p></main>`;
}

function writeFinding(finding: EvidenceFinding): string {
  const { name, chain, agreement, level, acts, established, trusted, notShown, made } = finding;
  return `<header>
<p class="kind">Evidence</p>
<p class="name"><bdi>${escapeHtml(name)}</bdi></p>
<p class="place">${escapeHtml(chain.name)}, made ${escapeHtml(made.at)} by <bdi>${escapeHtml(made.by)}</bdi></p>
</header>
<main>
<p class="note" role="note"><strong>${levelWords[level]}.</strong> State: <bdi>${escapeHtml(agreement.state)}</bdi>.</p>
<h2>Who signed what, and when</h2>
<table>
<thead><tr><th>Time (UTC)</th><th>Who</th><th>What</th><th>Led to</th></tr></thead>
<tbody>
${acts.map(writeAct).join('\n')}
</tbody>
</table>
<h2>What is established</h2>
${writeList(established)}
<h2>What is trusted</h2>
${writeList(trusted)}
<h2>What this does not show</h2>
${writeList(notShown)}
<h2>Blocks</h2>
<table><thead><tr><th>Number</th><th>Hash</th></tr></thead><tbody>
${finding.blocks.map(({ number, hash }) => `<tr><td>${number}</td><td class="exact">${hash}</td></tr>`).join('\n')}
</tbody></table>
</main>
<footer>
<dl>
<dt>Document hash</dt><dd class="exact">${agreement.docHash}</dd>
<dt>Contract</dt><dd class="exact">${checksumAddress(agreement.address)}</dd>
<dt>Document URI</dt><dd class="exact"><bdi>${escapeHtml(agreement.docUri)}</bdi></dd>
<dt>Chain</dt><dd>${escapeHtml(chain.name)} (${chain.chainId})</dd>
</dl>
<p>This page shows a file of evidence; the page itself proves nothing. Keep the file: it can be checked by anyone, without this
service, at <code>/verify</code> of any installation or with <code>agreements verify</code>.</p>
</footer>`;
}

const byWords = {
  permit: 'by permit',
  transaction: 'by own transaction',
  nothing: 'no readable signature',
} as const;

function writeAct(act: EvidenceAct): string {
  const roles = act.roles.map((role) => `<bdi>${escapeHtml(role)}</bdi>`).join(', ');
  const who = act.actor === null ? 'Unknown' : `${roles} <code>${checksumAddress(act.actor)}</code>`;
  const values = act.values.map(
    ({ name, value }) =>
      `<bdi>${escapeHtml(name)}</bdi>: <bdi>${escapeHtml(String(value ?? 'not readable'))}</bdi>`,
  );
  const what = act.input === null ? 'Deployed the agreement' : `<bdi>${escapeHtml(act.input)}</bdi>`;
  const details = values.length > 0 ? `<br><small>${values.join('<br>')}</small>` : '';
  return `<tr><td>${writeTime(act.time)}</td><td>${who}<br><small>${byWords[act.by]}</small></td>
<td>${what}${details}</td><td><bdi>${escapeHtml(act.toState)}</bdi></td></tr>`;
}

function writeList(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
}
