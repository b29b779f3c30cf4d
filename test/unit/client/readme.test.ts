import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as core from '../../../client/src/index.ts';
import { AgreementsClient } from '../../../client/src/index.ts';
import * as viem from '../../../client/src/viem/index.ts';
import * as webhooks from '../../../client/src/webhooks/verifyWebhook.ts';

const client: object = new AgreementsClient({ baseUrl: 'http://127.0.0.1:1' });

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

test('everything that the guide for users of the hosted client names here exists', () => {
  const guide = readFileSync(new URL('../../../client/MIGRATION.md', import.meta.url), 'utf8');
  const columns = [...guide.matchAll(/^\|.*? \| (.*) \|$/gm)].map(([, here = '']) => here);
  const onlyHere = guide.slice(guide.indexOf('Only here:'), guide.indexOf('## Signing'));
  const words = [...columns, onlyHere]
    .flatMap((text) => [...text.matchAll(/`([^`]+)`/g)])
    .map(([, word = '']) => word);
  const called = words.flatMap((word) => word.match(/^(?:await |new )?([\w.]+)(?=\(|$)/)?.[1] ?? []);
  const members = called.filter((name) => name.startsWith('client.'));
  const find = (path: string) =>
    path
      .split('.')
      .slice(1)
      .reduce<unknown>((of, name) => Reflect.get(Object(of), name), client);
  expect(members.length).toBeGreaterThan(15);
  expect(members.filter((path) => find(path) === undefined)).toEqual([]);
  const exported: Record<string, unknown> = { ...core, ...viem, ...webhooks };
  const functions = words.flatMap((word) => word.match(/^(?:await |new )?(\w+)\(/)?.[1] ?? []);
  const methods = Object.values(client).flatMap((group) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(group)),
  );
  expect(functions.length).toBeGreaterThan(5);
  expect(functions.filter((name) => !(name in exported) && !methods.includes(name))).toEqual([]);
});
