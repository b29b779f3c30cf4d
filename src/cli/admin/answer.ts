import type { NewApiKey } from '../../records/principals/apiKeys.ts';
import { printableLine } from './printable.ts';

/** A command's result: a value for programs, a text for people. */
export type Answer = { value: unknown; text: string };

/** A new key, whose text is shown only here. */
export function answerKey(key: NewApiKey): Answer {
  const text = [
    `Key ${key.id} of ${key.principalName}${key.label === null ? '' : ` (${key.label})`}:`,
    '',
    `  ${key.key}`,
    '',
    'Keep it now: it is not stored and cannot be shown again.',
  ];
  return { value: key, text: text.join('\n') };
}

export function answerRows(rows: readonly Record<string, unknown>[], noun: string): Answer {
  const [first] = rows;
  if (!first) return { value: rows, text: `There is no ${noun}.` };
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => showCell(row[name])))];
  const widths = names.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, (line[column] ?? '').length), 0),
  );
  const text = lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
  return { value: rows, text };
}

/** One thing, with a line for each of its fields. */
export function answerFields(value: Record<string, unknown>): Answer {
  const width = Math.max(...Object.keys(value).map((name) => name.length));
  const lines = Object.entries(value).map(([name, field]) => `${name.padEnd(width)}  ${showCell(field)}`);
  return { value, text: lines.join('\n') };
}

function showCell(value: unknown): string {
  if (value === null) return '-';
  return value instanceof Date ? value.toISOString() : printableLine(String(value));
}
