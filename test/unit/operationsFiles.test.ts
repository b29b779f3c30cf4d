import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { environmentOf } from '../../src/cli/services/servicePrograms.ts';
import { createMetrics } from '../../src/platform/operations/metrics.ts';
import { chains } from '../../src/protocol/index.ts';
import { findCommand } from '../e2e/support/dumpAndRestore.ts';

const locate = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(locate(path), 'utf8');

/** The names of all metrics, including the ones that a histogram derives. */
async function listMetrics(): Promise<Set<string>> {
  const described = (await createMetrics({ chains: [] }).print()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  const names = [...described].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_count`, `${name}_sum`, `${name}_bucket`] : [name],
  );
  return new Set(names);
}

test.each(['operations/prometheus-alerts.yaml', 'operations/grafana-dashboard.json', 'OPERATIONS.md'])(
  '%s names only existing metrics',
  async (path) => {
    const metrics = await listMetrics();
    const named = read(path).match(/\b(?:agreements_|http_request_|process_)[a-z_]+\b/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    const unknown = named.filter((name) => !metrics.has(name) && !metrics.has(`${name}_count`));
    expect(unknown).toEqual([]);
  },
);

test('the alert on missed reads of the replica counts every reason for which the primary answers, except what callers choose', () => {
  const [, rule = ''] = read('operations/prometheus-alerts.yaml').split('- alert: AgreementsReplicaMissed');
  expect(rule).toContain('agreements_replica_reads_total{outcome!~"replica|refused"}');
});

/** The names of the service's own metrics; a histogram counts once, under its own name. */
async function listOwnMetrics(): Promise<string[]> {
  const own = [...(await listMetrics())]
    .map((name) => name.replace(/_(count|sum|bucket)$/, ''))
    .filter((name) => /^(agreements|http_request)_/.test(name));
  return [...new Set(own)];
}

const names = (text: string, metric: string) =>
  new RegExp(`\\b${metric}(_(count|sum|bucket))?\\b`).test(text);

test('OPERATIONS.md explains how to save and restore the schemas that cannot be rebuilt', () => {
  expect(findCommand('pg_dump')).toMatch(
    /^pg_dump --format=custom --schema=service --schema=graphile_worker "\$DATABASE_URL" > (\S+)$/,
  );
  const [, file = ''] = /> (\S+)$/.exec(findCommand('pg_dump')) ?? [];
  expect(findCommand('pg_restore')).toMatch(/^pg_restore .*--single-transaction --dbname "\$DATABASE_URL" /);
  expect(findCommand('pg_restore').endsWith(` ${file}`)).toBe(true);
});

test('OPERATIONS.md quotes only texts that a process logs', () => {
  const quoted = [...read('OPERATIONS.md').matchAll(/`([^`]+)` in (?:its|the) log\b|\blogs `([^`]+)`/g)];
  const sources = readdirSync(locate('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => read(`src/${file}`));
  expect(quoted.length).toBeGreaterThan(2);
  const texts = quoted.map(([, first, second]) => first ?? second ?? '');
  expect(texts.filter((text) => !sources.some((source) => source.includes(text)))).toEqual([]);
});

test('OPERATIONS.md explains every metric of the service', async () => {
  const text = read('OPERATIONS.md');
  expect((await listOwnMetrics()).filter((metric) => !names(text, metric))).toEqual([]);
});

const dashboardShape = z.object({
  panels: z.array(
    z.object({
      id: z.int(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
});
const readDashboard = () => dashboardShape.parse(JSON.parse(read('operations/grafana-dashboard.json')));

/** Block numbers. Only their age shows whether all is well, and the dashboard shows that. */
const unshown = ['agreements_index_block', 'agreements_folded_block'];

test('the dashboard shows every metric of the service, except block numbers', async () => {
  const { panels } = readDashboard();
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const missing = (await listOwnMetrics()).filter((metric) => !names(expressions, metric));
  expect(missing.toSorted()).toEqual(unshown.toSorted());
});

test('no panel of the dashboard covers another one', () => {
  const { panels } = readDashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(taken).size).toBe(taken.length);
});

describe('operations/prometheus.yaml', () => {
  const text = read('operations/prometheus.yaml');
  const compose = read('compose.yaml');

  test('names files of rules that are there, the alerts among them', () => {
    const [, list = ''] = /^rule_files: \[(.+)\]$/m.exec(text) ?? [];
    const files = list.split(',').map((file) => file.trim());
    expect(files).toContain('prometheus-alerts.yaml');
    expect(files.filter((file) => !existsSync(locate(`operations/${file}`)))).toEqual([]);
  });

  test('scrapes each process of compose.yaml, with all replicas, at its metrics port', () => {
    const jobs = text.matchAll(
      /- job_name: agreements-(\w+)\n\s+dns_sd_configs: \[\{ names: \[(\w+)\], type: A, port: (\d+),/g,
    );
    const portOf = (variable: string) => new RegExp(`^ +${variable}: (\\d+)$`, 'm').exec(compose)?.[1];
    const found = [...jobs].map(([, job, service, port]) => ({ job, service, port }));
    expect(found).toEqual([
      { job: 'api', service: 'api', port: portOf('INTERNAL_PORT') },
      { job: 'worker', service: 'worker', port: portOf('WORKER_INTERNAL_PORT') },
      { job: 'indexer', service: 'indexer', port: portOf('INDEXER_PORT') },
    ]);
    for (const { service } of found) expect(compose).toMatch(new RegExp(`^  ${service}:$`, 'm'));
    expect(text.match(/job_name/g)).toHaveLength(found.length);
  });

  test('has the jobs that alerts ask for', () => {
    const asked = [...read('operations/prometheus-alerts.yaml').matchAll(/job="([\w-]+)"/g)];
    expect(asked.length).toBeGreaterThan(0);
    for (const [, job] of asked) expect(text).toContain(`job_name: ${job}\n`);
  });

  test("is the configuration of compose.yaml's Prometheus", () => {
    expect(compose).toContain('"./operations:/etc/prometheus:ro"');
    expect(compose).toContain('--config.file=/etc/prometheus/prometheus.yaml');
  });
});

describe('compose.yaml', () => {
  const compose = read('compose.yaml');
  const blockOf = (start: RegExp) =>
    compose.split(/\n(?=\S| {2}\w+:\n)/).find((block) => start.test(block)) ?? '';
  const emptied = [...blockOf(/^x-without-signers:/m).matchAll(/^ {2}(\w+): ""$/gm)].map(
    ([, name = '']) => name,
  );

  test.each(['api', 'indexer'] as const)('gives the %s no key and no mail server of .env', (name) => {
    const secrets = ['SMTP_URL', ...chains.map(({ chainId }) => `RELAYER_PRIVATE_KEYS_${chainId}`)];
    expect(emptied).toEqual(expect.arrayContaining(secrets));
    const held = environmentOf(name, Object.fromEntries(emptied.map((variable) => [variable, 'a secret'])));
    expect(held).toEqual({});
    expect(blockOf(new RegExp(`^  ${name}:$`, 'm'))).toContain('<<: [*environment, *without-signers]\n');
  });
});
