import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgreementsClient } from '../../../client/src/index.ts';

test('the README names every resource and method of the client', () => {
  const readme = readFileSync(new URL('../../../client/README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `client\.(\w+)` \| (.*) \|$/gm)];
  const named = rows.flatMap(([, resource, methods = '']) =>
    [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => `${resource}.${method}`),
  );
  const there = Object.entries(new AgreementsClient({ baseUrl: 'http://127.0.0.1:1' })).flatMap(
    ([resource, group]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(group))
        .filter((name) => name !== 'constructor')
        .map((method) => `${resource}.${method}`),
  );
  expect(named.toSorted()).toEqual(there.toSorted());
});
