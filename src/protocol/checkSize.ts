import { serializeAgreement } from './document.ts';
import { AgreementError, type Issue } from './errors.ts';
import { JsonCursor } from './jsonCursor.ts';
import type { AgreementLimits } from './limits.ts';

/** Why a document is too large to be looked at, if it is; also what is no JSON object at all. */
export function checkSize(agreement: unknown, limits: AgreementLimits): Issue[] {
  if (nestsDeeper(agreement, limits.nesting))
    return [{ path: '', message: `must not nest deeper than ${limits.nesting}` }];
  const text = findText(agreement);
  if (typeof text !== 'string') return text;
  const size = new TextEncoder().encode(text).length;
  if (size > limits.jsonBytes)
    return [{ path: '', message: `must not exceed ${limits.jsonBytes} bytes as JSON, it has ${size}` }];
  return listCountIssues(agreement, limits);
}

function findText(agreement: unknown): string | Issue[] {
  try {
    return serializeAgreement(agreement);
  } catch (error) {
    if (error instanceof AgreementError) return [...error.issues];
    throw error;
  }
}

function listCountIssues(agreement: unknown, limits: AgreementLimits): Issue[] {
  const execution = new JsonCursor(agreement).at('execution');
  const counts = {
    states: execution.at('states').keys().length,
    inputs: execution.at('inputs').keys().length,
    transitions: execution.at('transitions').items().length,
  };
  const names = ['states', 'inputs', 'transitions'] as const;
  const exceeded = names.filter((name) => counts[name] > limits[name]);
  return exceeded.map((name) => ({
    path: `execution.${name}`,
    message: `must not have more than ${limits[name]} items`,
  }));
}

/** Looks no deeper than the limit, so that no nesting can exhaust the stack. */
function nestsDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => nestsDeeper(member, limit - 1));
}
