import { describe, expect, test } from 'vitest';
import { fitVariables, writeNotification } from '../../../src/records/rules/writeNotification.ts';
import { onReturn } from './documents.ts';

const facts = {
  agreementId: 'agr_1',
  agreementName: 'Book of sand',
  fromState: 'LENT',
  toState: 'RETURNED',
  inputId: 'giveBack',
};
const variables = {
  pages: '7',
  note: `\${agreementId} \${variables.pages}`,
  isRead: true,
  long: 'x'.repeat(30_000),
};
const written = (notification: object) =>
  writeNotification(
    { ...onReturn, notification: { subject: 's', body: 'b', ...notification } },
    { facts, variables },
  );

describe('the texts of a notification', () => {
  test('say what happened to which agreement', () => {
    const names = Object.keys(facts).map((name) => `\${${name}}`);
    expect(written({ body: names.join('|') }).body).toBe(Object.values(facts).join('|'));
  });

  test('have variables filled in, each name of an unknown one in brackets', () => {
    const body = ['pages', 'pages.value', 'isRead', 'finder'].map((name) => `\${variables.${name}}`).join();
    expect(written({ body }).body).toBe('7,7,true,[finder]');
  });

  test('do not fill in values again', () => {
    expect(written({ body: `\${variables.note}` }).body).toBe(variables.note);
  });

  test('leave other braces unchanged', () => {
    const body = `\${owner} {agreementId} \${constructor} $\{variables}`;
    expect(written({ body }).body).toBe(body);
  });

  test('are one line as subject, title or label, whatever a variable holds', () => {
    const text = `a\r\nBcc: x@y.example \${variables.pages}`;
    const line = 'a Bcc: x@y.example 7';
    const all = written({ subject: text, title: text, ctaLabel: text });
    expect(all).toMatchObject({ subject: line, title: line, ctaLabel: line });
  });

  test('are cut where values make them very long', () => {
    const all = written({ subject: `\${variables.long}`, body: `\${variables.long}` });
    expect([all.subject.length, all.body.length]).toEqual([1_000, 20_000]);
  });

  test('are not filled in further than they are long, whatever character they are cut within', () => {
    const many = `\${variables.emoji}`.repeat(1_000);
    const { body } = writeNotification(
      { ...onReturn, notification: { subject: 's', body: many } },
      { facts, variables: { emoji: '💥'.repeat(500) } },
    );
    expect(body).toBe(`${'💥'.repeat(9_999)}…`);
  });

  test('pass an attachment strategy on, and leave out what the rule leaves out', () => {
    const attachmentStrategy = { type: 'customerInvoicePdf', variant: 'short' };
    expect(written({ attachmentStrategy })).toEqual({ subject: 's', body: 'b', attachmentStrategy });
  });
});

describe('the values that an event passes on', () => {
  test('are all that there are, whole, whether the texts name them or not', () => {
    const long = 'x'.repeat(100_000);
    expect(fitVariables({ pages: '7', isRead: true, long }, 1)).toEqual({ pages: '7', isRead: true, long });
  });

  test('are without the longest if they are too large together', () => {
    const half = 'x'.repeat(262_144);
    expect(Object.keys(fitVariables({ first: half, longer: `${half}x`, pages: '7' }, 1))).toEqual([
      'first',
      'pages',
    ]);
  });

  test('are fewer if one transition notifies many', () => {
    const values = { long: 'x'.repeat(100_000), pages: '7' };
    expect(Object.keys(fitVariables(values, 160))).toEqual(['long', 'pages']);
    expect(Object.keys(fitVariables(values, 250))).toEqual(['pages']);
  });

  test('are measured as JSON, in bytes', () => {
    expect(fitVariables({ escaped: '\u0001'.repeat(90_000) }, 1)).toEqual({});
  });
});
