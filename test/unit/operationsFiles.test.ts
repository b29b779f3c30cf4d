import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/api/operations/metrics.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The names of all metrics, with those that a histogram makes of its own. */
async function listMetrics(): Promise<Set<string>> {
  const described = (await createMetrics().print()).matchAll(/^# TYPE (\S+) (\S+)$/gm);
  const names = [...described].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_count`, `${name}_sum`, `${name}_bucket`] : [name],
  );
  return new Set(names);
}

test.each(['operations/prometheus-alerts.yaml', 'operations/grafana-dashboard.json', 'OPERATIONS.md'])(
  '%s names no metric that nobody measures',
  async (path) => {
    const metrics = await listMetrics();
    const named = read(path).match(/\b(?:agreements_|http_request_|process_)[a-z_]+\b/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    const unknown = named.filter((name) => !metrics.has(name) && !metrics.has(`${name}_count`));
    expect(unknown).toEqual([]);
  },
);

test('OPERATIONS.md explains every metric of the service', async () => {
  const text = read('OPERATIONS.md');
  const own = [...(await listMetrics())]
    .map((name) => name.replace(/_(count|sum|bucket)$/, ''))
    .filter((name) => /^(agreements|http_request)_/.test(name));
  expect([...new Set(own)].filter((name) => !text.includes(name))).toEqual([]);
});
