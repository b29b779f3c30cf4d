import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../src/api/config/configuration.ts';
import { readRelaySettings } from '../../../src/api/config/relaySettings.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = `${root}src/api/config/`;
const example = readFileSync(`${root}.env.example`, 'utf8');
const name = /\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b/g;

/** Every text in the code of the configuration that has the form of a variable, but for those that end in a chain id there. */
const readByCode = new Set(
  readdirSync(folder)
    .map((file) => readFileSync(folder + file, 'utf8'))
    .flatMap((source) => source.match(name) ?? []),
);

describe('.env.example', () => {
  test('explains every variable that is read', () => {
    const explained = new Set((example.match(name) ?? []).map((text) => text.replace(/_\d+$/, '')));
    expect([...readByCode].filter((variable) => !explained.has(variable))).toEqual([]);
  });

  test('names no variable that is not read', () => {
    const assigned = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, variable = '']) => variable);
    const unread = assigned.filter((variable) => {
      const base = variable.replace(/_\d+$/, '');
      return base.includes('_') && !readByCode.has(base);
    });
    expect(unread).toEqual([]);
  });

  test('shows the defaults where it shows values that are not needed', () => {
    const entries = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=(.+)$/gm)];
    const written = Object.fromEntries(entries.map(([, variable = '', value]) => [variable, value]));
    const needed = Object.fromEntries(
      Object.entries(written).filter(([variable]) => /^(DATABASE_URL|RPC_URL_)/.test(variable)),
    );
    const { chains, ...withDefaults } = readConfiguration(needed);
    const { chains: _, ...asWritten } = readConfiguration({ ...written, CHAINS: '' });
    const shown = { publicBaseUrl: asWritten.publicBaseUrl, corsOrigins: asWritten.corsOrigins };
    expect(asWritten).toEqual({ ...withDefaults, ...shown });
    expect(readRelaySettings(written, chains)).toEqual(readRelaySettings({}, chains));
  });
});
