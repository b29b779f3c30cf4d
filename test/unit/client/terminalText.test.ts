import { Command } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addEventCommands } from '../../../client/src/cli/commands/events.ts';
import { addEvidenceCommands } from '../../../client/src/cli/commands/evidence.ts';
import { addWatch } from '../../../client/src/cli/commands/watch.ts';
import { type Context, createContext as createContextOf } from '../../../client/src/cli/context.ts';
import { handOutLink } from '../../../client/src/cli/handOutLink.ts';
import { run } from '../../../client/src/cli/run.ts';
import { plainJson, plainLines } from '../../../client/src/cli/terminal.ts';
import { createTerminal } from './support/runInProcess.ts';
import { createScripted, ok } from './support/scriptedService.ts';

test.each([
  ['returns the carriage', 'You owe 1000\rYou owe 0   ', 'You owe 1000⟨U+000D⟩You owe 0   '],
  ['changes the direction', 'Pay \u202e0001\u202c', 'Pay ⟨U+202E⟩0001⟨U+202C⟩'],
  ['has spaces without a width', 'Pay 1\u200b0\u2066', 'Pay 1⟨U+200B⟩0⟨U+2066⟩'],
  ['joins what does not join', 'Pay 1\u200d0 to B\u200cob', 'Pay 1⟨U+200D⟩0 to B⟨U+200C⟩ob'],
  ['hides characters', 'a\u00adb\u034fc\u2060d\u3164', 'a⟨U+00AD⟩b⟨U+034F⟩c⟨U+2060⟩d⟨U+3164⟩'],
  ['commands the terminal', '\u001b]0;title\u0007\u009b2J', '⟨U+001B⟩]0;title⟨U+0007⟩⟨U+009B⟩2J'],
])('a text that %s shows it at a terminal', (_, text, shown) => {
  expect(plainLines(text)).toBe(shown);
});

test.each([
  'one\n\ttwo\r\nthree\n',
  'می\u200cخواهم',
  'क्\u200dष',
  '👩🏽\u200d👩\u200d👧 ❤\ufe0f\u200d🔥',
  'é日本',
])('%j stays at a terminal', (text) => {
  expect(plainLines(text)).toBe(text);
});

test('JSON at a terminal shows all its characters and has the same value', () => {
  const parts = fc.constantFrom(
    '\u001b[2J',
    '\u009b',
    '\u202e',
    '\u2028',
    '\u200d',
    '\ud800',
    '\u{e0041}',
    '\\',
    '"',
    'é',
    '👩',
  );
  const texts = fc.array(parts, { maxLength: 30 }).map((list) => list.join(''));
  const spaces = fc.constantFrom('\n', '\r', '\r\n', '\t', ' ');
  fc.assert(
    fc.property(fc.dictionary(texts, texts), spaces, (value, space) => {
      const json = JSON.stringify(value, null, 1).replaceAll('\n', space);
      const shown = plainJson(json);
      expect(shown).not.toMatch(/\r(?!\n)|(?![\r\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(JSON.parse(shown)).toEqual(JSON.parse(json));
    }),
  );
});

test.each([true, false])(
  'JSON of an answer, a stream and a failure has escapes at a terminal: %j',
  async (isScreen) => {
    const hidden = 'cod\u202egpj.exe\u200b\u{e0041}';
    const { terminal, printed } = createTerminal();
    const shownAt = { ...terminal, isScreen };
    const program = new Command().option('--json').parse(['--json'], { from: 'user' });
    const { answer, stream } = createContextOf(shownAt, program, { code: 0 });
    answer({ value: { name: hidden }, text: '' });
    stream({ value: { name: hidden }, text: '' });
    await run(['--json', 'verify', hidden], shownAt);
    const failed = { error: { message: `There is no file ${hidden}.` } };
    expect(printed.map((text) => JSON.parse(text))).toEqual([{ name: hidden }, { name: hidden }, failed]);
    for (const text of printed) expect(/^[\n\x20-\x7e]+$/.test(text)).toBe(isScreen);
  },
);

const hostile = 'x\r\u001b[2Jy';
const shown = 'x  [2Jy';

/** A page of a list. */
function page(data: readonly unknown[], nextCursor: string | null = null) {
  return { body: { ...Object(ok(data).body), pageInfo: { limit: 100, nextCursor } } };
}

/** The dependencies of a command whose service gives these answers one after the other. Stops it after so many lines. */
function createContext(answers: readonly ReturnType<typeof ok>[], mostLines: number) {
  const { terminal, printed } = createTerminal();
  const stopping = new AbortController();
  const { client, requests } = createScripted((_, at) => answers[at] ?? 'never');
  const print = ({ text }: { text: string }) => {
    printed.push(text);
    if (printed.length === mostLines) stopping.abort();
  };
  const context: Context = {
    terminal: { ...terminal, stopped: stopping.signal },
    asJson: () => false,
    client: () => client,
    settings: () => ({ baseUrl: '', apiKey: '' }),
    answer: print,
    stream: print,
    endWith: () => undefined,
  };
  return { context, printed, requests };
}

async function runCommand(add: typeof addWatch, context: Context, ...words: string[]): Promise<void> {
  const program = new Command();
  add(program, context);
  await program.parseAsync(words, { from: 'user' });
}

test('the address of a link does not reach the terminal as a command', async () => {
  const { context, printed } = createContext([ok({ id: 'lnk_1', agreementId: 'agr_1', url: hostile })], 1);
  await handOutLink(context, { id: 'agr_1' });
  expect(printed.join('\n').split('\n')[0]).toBe(shown);
});

test('neither do the cursor of the feed and the time of an event', async () => {
  const event = {
    type: 'agreement.transitioned',
    createdAt: hostile,
    data: { agreementName: 'Mural', agreementId: 'agr_1', fromState: 'A', toState: 'B', inputId: 'go' },
  };
  const { context, printed } = createContext([page([event], hostile), page([])], 3);
  await runCommand(addEventCommands, context, 'events');
  expect(printed).toEqual([`${shown} Mural (agr_1): A → B by go`, `cursor ${shown}`]);
});

test.each([
  [[], ['after-2']],
  [['--limit', '2'], ['after-2']],
  [['--limit', '1'], []],
])(
  'with --json and %j, the feed ends with the cursor after which the next call begins',
  async (words, cursors) => {
    const data = {
      agreementName: 'Mural',
      agreementId: 'agr_1',
      fromState: 'A',
      toState: 'B',
      inputId: 'go',
    };
    const event = { type: 'agreement.transitioned', createdAt: '2026-01-01T00:00:00Z', data };
    const { context } = createContext([page([event, event], 'after-2'), page([])], 9);
    const values: unknown[] = [];
    const stream = ({ value }: { value: unknown }) => void values.push(value);
    await runCommand(addEventCommands, { ...context, asJson: () => true, stream }, 'events', ...words);
    const events = values.slice(0, values.length - cursors.length);
    expect(events.every((value) => JSON.stringify(value) === JSON.stringify({ event }))).toBe(true);
    expect(values.slice(events.length)).toEqual(cursors.map((cursor) => ({ cursor })));
  },
);

test.each([
  [['--limit', '2'], '2'],
  [['--limit', '2', '--type', 'agreement.transitioned'], '100'],
  [[], '100'],
])('with %j, the feed is read in pages that hold what is wanted', async (words, limit) => {
  const { context, requests } = createContext([page([])], 0);
  await runCommand(addEventCommands, context, 'events', ...words);
  expect(requests.map(({ url }) => new URL(url).searchParams.get('limit'))).toEqual([limit]);
});

test('neither does the status of an input', async () => {
  const record = { id: 'agr_1', displayName: 'Mural', state: 'A', status: 'Deployed' };
  const input = { id: 'inp_1', inputId: 'go', status: hostile, updatedAt: '2026-01-01T00:00:00Z' };
  const { context, printed } = createContext([ok(record), page([]), page([input])], 2);
  await runCommand(addWatch, context, 'watch', 'agr_1');
  expect(printed).toEqual(['Mural is in A', expect.stringContaining(` ${shown} go`)]);
});

test('evidence has escapes at a terminal, and elsewhere the bytes of the service', async () => {
  const value = {
    format: 'agreement-evidence/1',
    document: { text: 'a \u009b2J\u009b31m SYSTEM \u202e gnp.exe' },
  };
  const printAt = async (isScreen: boolean) => {
    const { context, printed } = createContext([{ body: value }], 1);
    const onScreen = { ...context, terminal: { ...context.terminal, isScreen } };
    await runCommand(addEvidenceCommands, onScreen, 'evidence', 'agr_1');
    return printed;
  };
  expect(await printAt(false)).toEqual([JSON.stringify(value)]);
  const [seen = ''] = await printAt(true);
  expect(seen).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(seen)).toEqual(value);
});
