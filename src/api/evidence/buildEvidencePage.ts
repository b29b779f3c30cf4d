import { checksumAddress, type Hex } from 'viem';
import {
  type EvidenceAct,
  type EvidenceFinding,
  type EvidenceVerdict,
  isSigned,
} from '../../protocol/evidence/evidenceVerdict.ts';
import { writeTime } from '../../protocol/evidence/evidenceWords.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import type { WireValue } from '../../protocol/values.ts';
import { escapeHtml } from '../documents/escapeHtml.ts';
import { ownPolicy } from '../documents/pagePolicy.ts';
import { pageStyle } from '../documents/pageStyle.ts';

const levelWords = {
  none: {
    title: 'Not proved',
    meaning:
      'A signature cannot be read. Only blocks that you trust can show that the chain executed these steps, and who took them.',
  },
  signed: {
    title: 'Signed',
    meaning:
      'The signatures are valid, and the text allows these steps. Nothing in the file shows that the chain executed them.',
  },
  included: {
    title: 'Signed, and included in blocks',
    meaning:
      'The steps are genuine if the blocks at the end of this page belong to the chain. Compare their hashes with a source that you trust.',
  },
  anchored: {
    title: 'Signed, included, and anchored',
    meaning: 'The steps are genuine and included in blocks that trusted sources confirmed.',
  },
  anchoredOnly: {
    title: 'Included, and anchored',
    meaning:
      'The steps are included in blocks that trusted sources confirmed. A signature cannot be read: some accounts are named by these blocks alone.',
  },
} as const;

/** A verified file as a page for printing: who signed what when, what is proved, trusted and not shown. */
export function buildEvidencePage(verdict: EvidenceVerdict): string {
  const title = verdict.ok ? `Evidence: ${verdict.name}` : 'Invalid evidence';
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
  const part = path === '' ? '' : `<p>Part of the file: <code>${escapeHtml(path)}</code></p>`;
  return `<header><p class="kind">Evidence</p><p class="name">This file is invalid and proves nothing</p></header>
<main><p><bdi>${escapeHtml(message)}</bdi></p>${part}</main>`;
}

function writeFinding(finding: EvidenceFinding): string {
  const { name, chain, agreement, level, acts, established, trusted, notShown, made } = finding;
  const { title, meaning } = levelWords[level === 'anchored' && !isSigned(acts) ? 'anchoredOnly' : level];
  const accounts = listAccounts(acts);
  const description = describeState(finding);
  return `<header>
<p class="kind">Evidence</p>
<p class="name"><bdi>${escapeHtml(name)}</bdi></p>
<p class="place">${escapeHtml(chain.name)}. The file says of itself that it was made ${escapeHtml(made.at.slice(0, 19).replace('T', ' '))} UTC by “<bdi>${escapeHtml(made.by)}</bdi>”. Nothing checks this.</p>
</header>
<main>
<p class="note" role="note"><strong>${title}.</strong> ${meaning}</p>
<p>The steps in the file lead to the state <strong><bdi>${escapeHtml(agreement.state)}</bdi></strong>${description}</p>
<h2>The accounts</h2>
<p>Whoever holds the key of an account can sign for it. Who that is, this page does not show.</p>
<table class="ledger accounts">
<thead><tr><th>No.</th><th>Called in the text</th><th>Address</th></tr></thead>
<tbody>
${accounts.map(writeAccount).join('\n')}
</tbody>
</table>
<h2>Who signed what, and when</h2>
<p>A permit is a signature for exactly this step, which anybody may hand in. Times are those of the blocks.</p>
<table class="ledger steps">
<thead><tr><th>No.</th><th>Time (UTC)</th><th>Who</th><th>What</th></tr></thead>
<tbody>
${acts.map((act) => writeAct(act, accounts)).join('\n')}
</tbody>
</table>
<h2>What is established</h2>
${writeList(established)}
<h2>What is trusted</h2>
${writeList(trusted)}
<h2>What this does not show</h2>
${writeList(notShown)}
<h2>Blocks</h2>
<table class="ledger blocks"><thead><tr><th>Number</th><th>Hash</th></tr></thead><tbody>
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
<p>This page shows what a file of evidence says; the page itself proves nothing. Keep the file, which also holds the text of the
agreement: it can be checked by anyone, without this service, at <code>/verify</code> of any installation or with <code>agreements verify</code>.</p>
</footer>`;
}

/** An account that has acted, in the order of appearance, with the document's names for it at that time. */
type Account = { readonly number: number; readonly address: Hex; readonly roles: readonly string[] };

function listAccounts(acts: readonly EvidenceAct[]): Account[] {
  const roles = new Map<Hex, Set<string>>();
  for (const act of acts) {
    if (act.actor === null) continue;
    const known = roles.get(act.actor) ?? new Set();
    roles.set(act.actor, new Set([...known, ...act.roles]));
  }
  return [...roles].map(([address, names], at) => ({ number: at + 1, address, roles: [...names] }));
}

function writeAccount({ number, address, roles }: Account): string {
  return `<tr><td>${number}</td><td>${writeNames(roles)}</td><td class="exact">${checksumAddress(address)}</td></tr>`;
}

/** The document's description of the state, if any, as the end of a sentence. */
function describeState({ document, agreement }: EvidenceFinding): string {
  const states = new JsonCursor(JSON.parse(document)).at('execution').at('states');
  const { value } = states.at(agreement.state).at('description');
  return typeof value === 'string' && value !== ''
    ? `, which the text describes so: “<bdi>${escapeHtml(value)}</bdi>”`
    : '.';
}

const byWords = {
  permit: 'signed a permit',
  transaction: 'signed the transaction',
  nothing: 'according to the receipt, no readable signature',
} as const;

function writeAct(act: EvidenceAct, accounts: readonly Account[]): string {
  const account = accounts.find(({ address }) => address === act.actor);
  const who = account ? `${writeNames(act.roles)}<small>account ${account.number}</small>` : 'Unknown';
  const values = act.values.map(
    ({ name, value }) => `<small><bdi>${escapeHtml(name)}</bdi>: ${writeValue(value, accounts)}</small>`,
  );
  const ignored =
    act.ignored === 0 ? '' : `<small>and ${act.ignored} data fields that the contract ignores</small>`;
  const what = act.input === null ? 'Deployed the agreement' : `<bdi>${escapeHtml(act.input)}</bdi>`;
  const called = act.called === null ? '' : `<small>made a call to ${checksumAddress(act.called)}</small>`;
  return `<tr><td>${act.position}</td><td>${writeTime(act.time).replace(' UTC', '')}</td><td>${who}<small>${byWords[act.by]}</small></td>
<td>${what}, led to <bdi>${escapeHtml(act.toState)}</bdi>${values.join('')}${ignored}${called}</td></tr>`;
}

function writeValue(value: WireValue | null, accounts: readonly Account[]): string {
  if (value === null) return 'not readable';
  const text = String(value);
  const account = accounts.find(({ address }) => address === text.toLowerCase());
  return `<bdi>${escapeHtml(text)}</bdi>${account ? ` (account ${account.number})` : ''}`;
}

function writeNames(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.map((name) => `<bdi>${escapeHtml(name)}</bdi>`).join(', ');
}

function writeList(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li><bdi>${escapeHtml(item)}</bdi></li>`).join('')}</ul>`;
}
