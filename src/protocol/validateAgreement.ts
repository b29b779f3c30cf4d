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
  /** What makes the document unusable; none means that it compiles, given its values. */
  readonly issues: readonly Issue[];
  /** Whether the only issue is that the document's text has too many bytes. */
  readonly isTooLong: boolean;
  /** What is accepted and may surprise its author. */
  readonly warnings: readonly Issue[];
  /** Null where the document has none, with which it cannot be deployed. */
  readonly templateId: string | null;
  /** The variables that stand for participants' wallets, in order. */
  readonly participantVariableKeys: readonly string[];
  readonly inputIds: readonly string[];
  readonly stateIds: readonly string[];
};

const noFacts = { warnings: [], templateId: null, participantVariableKeys: [], inputIds: [], stateIds: [] };

/**
 * Checks an authored document as a service that hosts it should: that it compiles, that whatever it names is declared, and that
 * it is not too large. It only reads the document, whose text stays what its author signs. A document that is too large in
 * any way is looked at no further.
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

/** The template that a document was made from: `metadata.templateId`, else `metadata.id`, if it is a text and not empty. */
export function findTemplateId(agreement: unknown): string | undefined {
  const metadata = new JsonCursor(agreement).at('metadata');
  const ids = [metadata.at('templateId').value, metadata.at('id').value];
  return ids.find((id): id is string => typeof id === 'string' && id !== '');
}
