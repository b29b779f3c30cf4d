export type LogLine = {
  /** With time, level and fields, ready to be written. */
  text: string;
  /** Only the message. */
  message: string;
  isError: boolean;
};

const levels = new Map([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
]);
const errorLevel = 50;
const unshown = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'name', 'process']);

/** Converts a JSON line of pino to text; other lines stay unchanged. */
export function parseLogLine(line: string): LogLine {
  const entry = parseEntry(line);
  if (!entry) return { text: line, message: line, isError: /\bERROR\b|\bFATAL\b/.test(line) };
  const { level, time, msg } = entry;
  const message = typeof msg === 'string' ? msg : '';
  const fields = Object.entries(entry)
    .filter(([name]) => !unshown.has(name))
    .map(([name, value]) => ` ${name}=${showValue(value)}`);
  const clock = new Date(typeof time === 'number' ? time : Date.now()).toISOString().slice(11, 23);
  const levelName = (levels.get(Number(level)) ?? String(level)).padEnd(5);
  return {
    text: `${clock} ${levelName} ${message}${fields.join('')}`,
    message,
    isError: Number(level) >= errorLevel,
  };
}

function parseEntry(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'level' in entry ? { ...entry } : null;
  } catch {
    return null;
  }
}

function showValue(value: unknown): string {
  if (isLoggedError(value)) return `\n  ${value.stack.replaceAll('\n', '\n  ')}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /\s/.test(text) ? JSON.stringify(text) : text;
}

function isLoggedError(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
}
