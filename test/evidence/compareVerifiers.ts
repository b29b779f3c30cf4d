import type { EvidenceVerdict } from '../../src/protocol/evidence/evidenceVerdict.ts';
import { verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';
import { askPython } from './askPython.ts';

/** The Python verifier's answer for each text: the level, or the reason for refusal. */
export async function askSaying(texts: readonly string[], ...options: string[]): Promise<string[]> {
  const answers = await askPython(texts, ...options);
  return answers.map(({ level, reason }) => level ?? reason ?? '');
}

export function sayingOf(verdict: EvidenceVerdict): string {
  return verdict.ok ? verdict.level : verdict.reason;
}

/** The texts for which the two verifiers give different answers. */
export async function listDifferences(
  cases: readonly { readonly name: string; readonly text: string }[],
): Promise<string[]> {
  const found = await askSaying(cases.map(({ text }) => text));
  if (found.length !== cases.length) throw new Error(`${found.length} answers for ${cases.length} texts`);
  const ours: string[] = [];
  for (const { text } of cases) ours.push(sayingOf(await verifyEvidence(new TextEncoder().encode(text))));
  return cases.flatMap(({ name }, at) =>
    found[at] === ours[at] ? [] : [`${name}: ${found[at]}, here ${ours[at]}`],
  );
}
