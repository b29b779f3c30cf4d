import { describe, expect, test } from 'vitest';
import { chooseForm, type Form } from '../../../src/api/documents/chooseForm.ts';

describe('an Accept header', () => {
  test.each<[string | null, Form, string]>([
    [null, 'json', 'none: the default'],
    ['*/*', 'json', 'anything: the default'],
    ['text/html', 'html', 'one form'],
    ['TEXT/HTML', 'html', 'case does not matter'],
    ['text/markdown;charset=utf-8;variant=GFM', 'markdown', 'nor do parameters'],
    ['text/*', 'html', 'a family: its first'],
    ['application/*', 'json', 'a family: its only one'],
    ['text/html;q=0.8, text/markdown;q=0.9', 'markdown', 'the higher quality'],
    ['text/html;q=0.5, application/json', 'json', 'no quality is the highest'],
    ['text/html;q=0.123, text/markdown;q=0.122', 'html', 'three digits count'],
    ['text/markdown, */*', 'markdown', 'what is named precisely, of equals'],
    ['*/*, text/markdown', 'markdown', 'in whatever order'],
    ['text/*, application/json', 'json', 'what is named precisely before a family'],
    ['text/markdown, text/html', 'markdown', 'the first, of equals'],
    ['text/html, text/markdown', 'html', 'the first, of equals'],
    ['text/html ; q = 0.3 , text/markdown;Q=0.4', 'markdown', 'spaces and case of the quality'],
    ['text/*;q=0.9, text/html;q=0.1, application/json;q=0.5', 'markdown', 'the precise range decides'],
    ['text/html;q=0, */*;q=0.1', 'json', 'nothing of quality 0'],
    ['application/json;q=0, text/*;q=0.1', 'html', 'nothing of quality 0'],
    ['application/json;q=0', 'json', 'no form at all: the default'],
    ['image/png, video/*', 'json', 'no form at all: the default'],
    ['application/json, text/plain, */*', 'json', 'a usual client of JSON'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html', 'a browser'],
  ])('%s asks for %s: %s', (accept, form) => {
    expect(chooseForm(accept)).toBe(form);
  });

  test.each([
    ['', 'json'],
    [',,;;,', 'json'],
    ['text', 'json'],
    ['text/html/x', 'json'],
    ['*/html', 'json'],
    ['text/html;q=2', 'html'],
    ['text/html;q=-1', 'json'],
    ['text/html;q=0.1234', 'html'],
    ['text/html;q=', 'html'],
    ['text/html;q=abc, text/markdown;q=0.1', 'html'],
    ['"text/html", text/markdown', 'markdown'],
  ])('that is malformed, %j, is ignored in its malformed part', (accept, form) => {
    expect(chooseForm(accept)).toBe(form);
  });
});
