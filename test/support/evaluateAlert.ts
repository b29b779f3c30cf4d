import { readFileSync } from 'node:fs';

const rules = readFileSync(new URL('../../operations/prometheus-alerts.yaml', import.meta.url), 'utf8');

/**
 * Whether an alert's condition holds for a process's /metrics, by the value of one label. Supports
 * expressions of one form, `max by (label) (metric) > number`; Prometheus itself would also wait for the
 * rule's duration.
 */
export function evaluateAlert(name: string, metricsText: string): ReadonlyMap<string, boolean> {
  const [, expression = ''] = new RegExp(`- alert: ${name}\\n\\s+expr: (.+)\\n`).exec(rules) ?? [];
  const [, label, metric, threshold] = /^max by \((\w+)\) \((\w+)\) > (\d+)$/.exec(expression) ?? [];
  if (label === undefined || metric === undefined) throw new Error(`${name} has another form: ${expression}`);
  const values = new Map<string, number>();
  for (const [, labels = '', value] of metricsText.matchAll(
    new RegExp(`^${metric}\\{(.*)\\} (\\S+)$`, 'gm'),
  )) {
    const [, of = ''] = new RegExp(`\\b${label}="([^"]*)"`).exec(labels) ?? [];
    values.set(of, Math.max(values.get(of) ?? Number.NEGATIVE_INFINITY, Number(value)));
  }
  return new Map([...values].map(([of, value]) => [of, value > Number(threshold)]));
}
