import type { Shown } from './source.ts';

/** Whether it is known how a contract compares with its document. A draft has no contract yet. */
export function knowsRules({
  status,
  differsFromDocument,
}: Pick<Shown, 'status' | 'differsFromDocument'>): boolean {
  return status === 'Draft' || differsFromDocument !== undefined;
}
