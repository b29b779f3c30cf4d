import { checkBudgets } from './checkBudgets.ts';
import { serializeAgreement } from './document.ts';
import type { AgreementLimits } from './documentLimits.ts';
import { AgreementError, type Issue } from './errors.ts';
import { utf8Length } from './utf8.ts';

export type SizeReport = {
  /** Empty if the document may be read further. */
  readonly issues: readonly Issue[];
  /** Whether its text is too long. */
  readonly isTooLong: boolean;
};

/** Why a document is too large to be read, or not a JSON object. */
export function checkSize(agreement: unknown, limits: AgreementLimits): SizeReport {
  if (nestsDeeper(agreement, limits.nesting))
    return {
      issues: [{ path: '', message: `must not nest deeper than ${limits.nesting}` }],
      isTooLong: false,
    };
  const text = findText(agreement);
  if (typeof text !== 'string') return { issues: text, isTooLong: false };
  const size = utf8Length(text);
  if (size <= limits.jsonBytes) return { issues: checkBudgets(agreement, limits), isTooLong: false };
  const message = `must not exceed ${limits.jsonBytes} bytes as JSON, it has ${size}`;
  return { issues: [{ path: '', message }], isTooLong: true };
}

/** Whether a document may be processed at all, valid or not. */
export function isWithinLimits(agreement: unknown, limits: AgreementLimits): boolean {
  return checkSize(agreement, limits).issues.length === 0;
}

function findText(agreement: unknown): string | Issue[] {
  try {
    return serializeAgreement(agreement);
  } catch (error) {
    if (error instanceof AgreementError) return [...error.issues];
    throw error;
  }
}

/** Stops at the limit, so that no nesting can exhaust the stack. */
function nestsDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => nestsDeeper(member, limit - 1));
}
