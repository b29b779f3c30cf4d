import type { CallToolResult } from '@modelcontextprotocol/server';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { codesByStatus, describeError } from '../../platform/http/errorResponse.ts';
import { quote } from '../../protocol/quote.ts';
import { escapeUnseen } from './escapeUnseen.ts';
import { fitAnswer } from './fitAnswer.ts';
import { findRemedy, type Remedies } from './remedies.ts';

/** Members of an error's details with a meaning of their own; all others are facts of the refusal. */
const shownApart = new Set(['reason', 'field', 'issues']);

/** Facts that hold texts of the parties, by the names that mark them as such. */
const markedNames = new Map([['revert', 'quotedRevert']]);

/** The error in an answer to an agent. */
const room = 5_000;
/** A fact in its text. */
const longestFact = 300;
/** A path in its text. */
const longestPath = 300;

/** An error as a tool result: what is wrong, the reason to branch on, and what to do about it. */
export function writeToolError(
  error: unknown,
  { requestId, remedies }: { readonly requestId: string; readonly remedies: Remedies },
): CallToolResult {
  const { status, message, details = {}, headers = {} } = describeError(error);
  const { reason, field, issues } = details;
  const whatToDo = findRemedy(remedies, { status, reason });
  const facts = Object.entries(details).filter(
    ([name, value]) => !shownApart.has(name) && value !== undefined,
  );
  const seconds = headers['retry-after'];
  const failure = {
    code: codesByStatus[status],
    ...(reason !== undefined && { reason }),
    message,
    whatToDo,
    ...(field !== undefined && { field }),
    ...(issues !== undefined && { issues }),
    ...(facts.length > 0 && { facts: plain(facts) }),
    ...(seconds !== undefined && { retryAfterSeconds: Number(seconds) }),
    requestId,
  };
  const { answer } = fitAnswer(failure, room);
  const text = [
    `Error ${answer.reason ?? answer.code}: ${answer.message}`,
    ...(answer.issues ?? [])
      .slice(0, 10)
      .map((issue) => `- ${quote(issue.path, longestPath)} ${issue.message}`),
    ...(answer.facts === undefined ? [] : [`Facts: ${writeFacts(answer.facts)}`]),
    `What to do: ${whatToDo}`,
    ...(answer.retryAfterSeconds === undefined ? [] : [`retryAfterSeconds: ${answer.retryAfterSeconds}`]),
    `requestId: ${requestId}`,
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: text.join('\n') }],
    structuredContent: { error: answer },
  };
}

/** Without bigints, which JSON does not have. */
function plain(facts: readonly [string, unknown][]): Record<string, unknown> {
  const write = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return Object.fromEntries(
    facts.map(([name, value]) => [markedNames.get(name) ?? name, parseJson(JSON.stringify(value, write))]),
  );
}

/** The short facts of a refusal: whole ones alone, so that names by parties stay in quotes. */
function writeFacts(facts: Readonly<Record<string, unknown>>): string {
  const short = Object.entries(facts).filter(([, value]) => JSON.stringify(value).length <= longestFact);
  return escapeUnseen(JSON.stringify(Object.fromEntries(short)));
}
