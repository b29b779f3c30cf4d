import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runInProcess } from './support/runInProcess.ts';

const fillIn = `
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agreements; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** Bash's suggestions for the last of these words. Bash splits words at spaces and around \`=\`. */
async function complete(...words: readonly string[]): Promise<string[]> {
  const script = (await runInProcess('completion', 'bash')) + fillIn;
  const offered = execFileSync('bash', ['--norc', '-c', script, 'bash', 'agreements', ...words]);
  return String(offered).split('\n').filter(Boolean);
}

test.each([
  ['the names of commands', ['we'], ['webhooks']],
  ['the names behind another name', ['webhooks', 'rota'], ['rotate-secret']],
  ['the options of a command', ['deploy', 'a.json', '--pa'], ['--participant', '--password-file']],
  ['the options of a command of a group', ['webhooks', 'deliveries', '--st'], ['--status']],
  ['the values of an option', ['verify', '--require', ''], ['signed', 'included', 'anchored']],
  ['the values of an option behind =', ['verify', '--require', '=', 'si'], ['signed']],
  ['no values where any is possible', ['list', '--state', ''], []],
  ['the values of an argument', ['completion', 'fi'], ['fish']],
])('bash completes %s', async (_, words, offered) => {
  expect(await complete(...words)).toEqual(offered);
});

test.each([
  ['of an option', ['list', '--state', 'deploy', '--na'], ['--name']],
  ['of an option behind =', ['list', '--state', '=', 'deploy', '--na'], ['--name']],
  ["of the program's option", ['--url', 'deploy', 'li'], ['list', 'listen']],
  ['with = in it', ['deploy', '--value', 'wall', '=', 'list', '--obs'], ['--observer']],
])('a value %s is not taken for a command', async (_, words, offered) => {
  expect(await complete(...words)).toEqual(offered);
});

test('fish is told the options of each command, also of one in a group', async () => {
  const script = await runInProcess('completion', 'fish');
  const here = (path: string) => `-n '__agreements_at \\'${path}\\''`;
  expect(script).toContain(`${here('webhooks recover')} -l since -r`);
  expect(script).toContain(`${here('webhooks deliveries')} -l status -x -a 'pending retry_pending`);
  expect(script).toContain(`${here('webhooks')} -f -a rotate-secret`);
});
