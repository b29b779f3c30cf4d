import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../src/platform/config/configuration.ts';
import { readRelaySettings } from '../../../src/platform/config/relaySettings.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = `${root}src/platform/config/`;
const example = readFileSync(`${root}.env.example`, 'utf8');
const name = /\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b/g;

/** The variables that compose.yaml itself uses, as `${NAME:-default}`. */
const compose = readFileSync(`${root}compose.yaml`, 'utf8');
const readByCompose = new Map(
  [...compose.matchAll(/\$\{([A-Z0-9_]+):-([^}]*)\}/g)].map(([, variable = '', value]) => [variable, value]),
);

/**
 * Every text in the configuration code that looks like a variable, except variables that end in a chain id
 * there.
 */
const readByCode = new Set(
  readdirSync(folder)
    .map((file) => readFileSync(folder + file, 'utf8'))
    .flatMap((source) => source.match(name) ?? []),
);

describe('.env.example', () => {
  test('explains every variable that is read', () => {
    const explained = new Set((example.match(name) ?? []).map((text) => text.replace(/_\d+$/, '')));
    const read = [...readByCode, ...readByCompose.keys()];
    expect(read.filter((variable) => !explained.has(variable))).toEqual([]);
  });

  test('names no variable that is not read', () => {
    const assigned = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, variable = '']) => variable);
    const unread = assigned.filter((variable) => {
      const base = variable.replace(/_\d+$/, '');
      return base.includes('_') && !readByCode.has(base) && !readByCompose.has(base);
    });
    expect(unread).toEqual([]);
  });

  test('shows the defaults of optional values', () => {
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
    for (const [variable, value] of readByCompose) expect(written[variable]).toBe(value);
  });
});
