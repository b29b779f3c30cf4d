import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { bundleCli } from '../../../client/build/bundleEntries.ts';

export type Ended = { code: number | null; stdout: string; stderr: string };

/** Bundles the command line into one file, as the package does. */
export async function bundleProgram(file: string): Promise<string> {
  await bundleCli(file);
  return file;
}

/** Starts the command line with only `env` as its environment. It ends with the test that starts it. */
export function startCli(
  program: string,
  words: readonly string[],
  env: Record<string, string>,
): ChildProcess {
  const child = spawn(process.execPath, [program, ...words], { env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function runCli(
  program: string,
  words: readonly string[],
  { env, input = '' }: { env: Record<string, string>; input?: string },
): Promise<Ended> {
  const child = startCli(program, words, env);
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the command line has no streams');
  stdin.end(input);
  const [out, complaint, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code, stdout: out, stderr: complaint };
}
