import { expect, test } from 'vitest';
import { AgreementsClient } from '../../../client/src/index.ts';

test.each([
  ['apiKey', 'agk_test_sec\nret'],
  ['apiKey', 'agk_test_sec€ret'],
  ['link', 'agl_sec ret'],
])('an %s that no header can carry is refused at once, without being quoted', (name, secret) => {
  const create = () => new AgreementsClient({ baseUrl: 'http://127.0.0.1:1', [name]: secret });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(/^The apiKey or link must be ASCII\.$/);
});
