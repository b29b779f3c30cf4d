import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../client/src/cli/run.ts';
import { createTerminal, runInProcess } from './support/runInProcess.ts';

const program = buildProgram(createTerminal().terminal, { code: 0 });

/** The names of all commands, each after its group's names. */
function listPaths(command: Command): string[] {
  return command.commands.flatMap((child) => [
    child.name(),
    ...listPaths(child).map((path) => `${child.name()} ${path}`),
  ]);
}

test.each(listPaths(program))('the help of %s has examples that use what it explains', async (path) => {
  const help = await runInProcess(...path.split(' '), '--help');
  const [explained = '', shown = ''] = help.split(/\nExamples?:\n/);
  const own = shown.split('\n').filter((line) => line.startsWith(`  agreements ${path}`));
  expect(own).not.toEqual([]);
  const options = own.flatMap((line) => line.match(/(?<= )--[\w-]+/g) ?? []);
  for (const option of options.filter((name) => name !== '--json')) expect(explained).toContain(option);
});
