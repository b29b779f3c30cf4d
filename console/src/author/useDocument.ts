import { useQuery } from '@tanstack/preact-query';
import { BadRequestError } from '../../../client/src/index.ts';
import type { TemplateReport } from '../../../client/src/types.ts';
import { findLostNumber } from '../../../src/protocol/lostNumber.ts';
import { findRepeatedName } from '../../../src/protocol/repeatedName.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { isObject } from '../agreements/member.ts';
import { useDebounced } from '../parts/debounced.ts';
import { service } from '../service/client.ts';
import { texts } from '../texts/texts.ts';
import { useKeptText } from './keptText.ts';
import { findPlace, lineOf, locateJson } from './locateJson.ts';

const typingMs = 350;

export type Problem = {
  readonly kind: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  readonly offset: number;
  readonly line: number;
};

/**
 * A document being written: its text, stored in this browser, and the service's findings, updated a moment
 * after each change.
 */
export function useDocument() {
  const [text, write] = useKeptText('document');
  const settled = useDebounced(text, typingMs);
  const parsed = parseDocument(settled);
  const report = useQuery({
    queryKey: ['report', settled],
    enabled: parsed.json !== undefined,
    queryFn: ({ signal }) => service.agreements.validateTemplate({ ...parsed.json }, { signal }),
    placeholderData: (former) => former,
    gcTime: 60_000,
  });
  const isRefused = report.error instanceof BadRequestError;
  return {
    text,
    write,
    /** The parsed document; undefined if it is no JSON object, or one that has a name twice or a number that is read as another one. */
    json: parsed.json,
    problems: listProblems(settled, parsed.fault, report.error, report.data),
    report: isRefused || parsed.json === undefined ? undefined : report.data,
    isChecking: report.isFetching || settled !== text,
    /** Why the service could not check it. */
    error: report.error && !isRefused ? report.error : undefined,
  };
}

type JsonObject = { readonly [name: string]: unknown };
type Fault = { readonly message: string; readonly offset: number };

function parseDocument(text: string): { json?: JsonObject; fault?: Fault } {
  if (text.trim() === '') return {};
  try {
    const json: unknown = JSON.parse(text);
    if (!isObject(json)) return { fault: { message: texts.author.notObject, offset: 0 } };
    const repeated = findRepeatedName(text);
    if (repeated)
      return {
        fault: { message: texts.author.namedTwice(showUnseen(repeated.name)), offset: repeated.offset },
      };
    const lost = findLostNumber(text);
    if (!lost) return { json };
    return { fault: { message: texts.author.lostNumber(lost.read), offset: lost.offset } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, position] = /position (\d+)/.exec(message) ?? [];
    return { fault: { message, offset: position === undefined ? text.length : Number(position) } };
  }
}

function listProblems(
  text: string,
  fault: Fault | undefined,
  error: unknown,
  report: TemplateReport | undefined,
): readonly Problem[] {
  if (fault) return [{ kind: 'error', path: '', ...fault, line: lineOf(text, fault.offset) }];
  const places = locateJson(text);
  const place = (path: string) => {
    const offset = findPlace(places, path);
    return { offset, line: lineOf(text, offset) };
  };
  if (error instanceof BadRequestError) {
    const issues = error.details.issues ?? [{ path: '', message: error.message }];
    return issues.map((issue) => ({ kind: 'error' as const, ...issue, ...place(issue.path) }));
  }
  return (report?.warningDetails ?? []).map((warning) => ({
    kind: 'warning' as const,
    ...warning,
    ...place(warning.path),
  }));
}
