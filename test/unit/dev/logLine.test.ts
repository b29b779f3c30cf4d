import { describe, expect, test } from 'vitest';
import { parseLogLine } from '../../../src/cli/devtools/logLine.ts';

describe('parseLogLine', () => {
  test('a JSON line becomes time, level, message and fields', () => {
    const line = JSON.stringify({
      level: 30,
      time: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
      name: 'api',
      msg: 'listening',
      port: 3000,
    });
    expect(parseLogLine(line)).toEqual({
      text: '03:04:05.006 INFO  listening port=3000',
      message: 'listening',
      isError: false,
    });
  });

  test('an error is shown with its stack below it', () => {
    const stack = 'Error: broken\n    at here';
    const parsed = parseLogLine(
      JSON.stringify({ level: 50, time: 0, msg: 'failed', err: { message: 'broken', stack } }),
    );
    expect(parsed.isError).toBe(true);
    expect(parsed.text).toBe('00:00:00.000 ERROR failed err=\n  Error: broken\n      at here');
  });

  test.each(['plain text', '{not json', '{"no":"level"}', '[1,2]', ''])('%j stays unchanged', (line) => {
    expect(parseLogLine(line)).toEqual({ text: line, message: line, isError: false });
  });
});
