import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { describeMachine, findCommit } from '../../../bench/machine.ts';

test('a machine is described by its processor and the measured versions', () => {
  const { cpu, cores, node, versions } = describeMachine();
  expect(cpu).not.toBe('');
  expect(cores).toBeGreaterThan(0);
  expect(node).toBe(process.version);
  expect(versions).toMatchObject({
    ponder: expect.stringMatching(/^\d/),
    viem: expect.stringMatching(/^\d/),
  });
});

test('sources without a history, or a machine without Git, have no commit', () => {
  expect(findCommit(pathToFileURL(`${tmpdir()}/`))).toBeNull();
  vi.stubEnv('PATH', '');
  expect(findCommit(new URL('../../../', import.meta.url))).toBeNull();
  vi.unstubAllEnvs();
});
