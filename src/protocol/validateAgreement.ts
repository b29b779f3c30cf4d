import { checkSize } from './checkSize.ts';
import { listCompileIssues } from './compileAgreement.ts';
import { type AgreementLimits, defaultAgreementLimits } from './documentLimits.ts';
import type { Issue } from './errors.ts';
import { listInputIds } from './inputDefinitions.ts';
import { listIssues } from './issueList.ts';
import { JsonCursor } from './jsonCursor.ts';
import { listShapeIssues } from './listShapeIssues.ts';
import { listUndeclared } from './listUndeclared.ts';
import { listWarnings } from './listWarnings.ts';
import { readVariables } from './variables.ts';

export type AgreementReport = {
  /** Issues that make the document unusable; if empty, it compiles, given its values. */
  readonly issues: readonly Issue[];
  /** Whether the only issue is that the document's text has too many bytes. */
  readonly isTooLong: boolean;
  /** Accepted, but may surprise the author. */
  readonly warnings: readonly Issue[];
  /** Null if the document has none; then it cannot be deployed. */
  readonly templateId: string | null;
  /** The variables of participants' wallets, in order. */
  readonly participantVariableKeys: readonly string[];
  readonly inputIds: readonly string[];
  readonly stateIds: readonly string[];
};

const noFacts = { warnings: [], templateId: null, participantVariableKeys: [], inputIds: [], stateIds: [] };

/**
 * Checks an authored document for a service that hosts it: that it compiles, that every name is declared, and
 * that it is not too large. The document is only read; its text stays the one that its author signs. A
 * document that is too large is not read further.
 */
export function validateAgreement(
  agreement: unknown,
  limits: AgreementLimits = defaultAgreementLimits,
): AgreementReport {
  const { issues: oversize, isTooLong } = checkSize(agreement, limits);
  if (oversize.length > 0) return { ...noFacts, issues: oversize, isTooLong };
  const root = new JsonCursor(agreement);
  const participants = readVariables(root).filter(({ isParticipant }) => isParticipant);
  const issues = [
    ...listCompileIssues(agreement),
    ...listShapeIssues(agreement),
    ...listUndeclared(new JsonCursor(agreement)),
  ];
  return {
    issues: listIssues(issues),
    isTooLong: false,
    warnings: listWarnings(agreement),
    templateId: findTemplateId(agreement) ?? null,
    participantVariableKeys: participants.map(({ name }) => name),
    inputIds: listInputIds(root),
    stateIds: root.at('execution').at('states').keys(),
  };
}

/** The template of a document: `metadata.templateId`, otherwise `metadata.id`, if it is a non-empty text. */
export function findTemplateId(agreement: unknown): string | undefined {
  const metadata = new JsonCursor(agreement).at('metadata');
  const ids = [metadata.at('templateId').value, metadata.at('id').value];
  return ids.find((id): id is string => typeof id === 'string' && id !== '');
}
