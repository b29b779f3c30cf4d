import { describe, expect, test } from 'vitest';
import { readConsoleSettings } from '../../../src/platform/config/consoleSettings.ts';

const read = (origins: string) => readConsoleSettings({ CONSOLE_FRAME_ANCESTORS: origins }).frameAncestors;

describe('the origins that may frame the console', () => {
  test('are hosts with a scheme, and perhaps a port', () => {
    expect(read('https://app.example.com, http://127.0.0.1:8080 http://[::1]:3000')).toEqual([
      'https://app.example.com',
      'http://127.0.0.1:8080',
      'http://[::1]:3000',
    ]);
    expect(read('')).toEqual([]);
  });

  test.each([
    ['https://app.example.com;sandbox', 'ends the rule and begins another'],
    [`https://app.example.com'`, 'is no host'],
    ['https://*', 'is every host'],
    ['https://*.example.com', 'is every host of a domain'],
    ['https://app.example.com/path', 'has a path'],
    ['app.example.com', 'has no scheme'],
    ['javascript:alert(1)', 'is no address of pages'],
  ])('%s is refused: it %s', (origin) => {
    expect(() => read(origin)).toThrow(/CONSOLE_FRAME_ANCESTORS: expected origins/);
  });
});
