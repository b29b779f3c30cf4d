import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

/** The verifier in Python, written from the documents alone. */
export const pythonVerifier = fileURLToPath(new URL('../../examples/evidence/verify.py', import.meta.url));
export const hasPython = spawnSync('python3', ['--version']).status === 0;

const run = promisify(execFile);
const answer = z.object({
  ok: z.boolean(),
  level: z.string().optional(),
  storage: z.string().optional(),
  reason: z.string().optional(),
});
export type PythonAnswer = z.infer<typeof answer>;

/** The Python verifier's answer for each text, in order. */
export async function askPython(texts: readonly string[], ...options: string[]): Promise<PythonAnswer[]> {
  const room = await mkdtemp(join(tmpdir(), 'evidence-'));
  try {
    const paths = texts.map((_, at) => join(room, `${at}.json`));
    await Promise.all(texts.map((text, at) => writeFile(paths[at] ?? '', text)));
    const args = [pythonVerifier, '--json', ...options, ...paths];
    // The program exits with 1 if a file does not hold.
    const { stdout } = await run('python3', args, { maxBuffer: 2 ** 26 }).catch((error: unknown) =>
      z.object({ code: z.literal(1), stdout: z.string() }).parse(error),
    );
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => answer.parse(JSON.parse(line)));
  } finally {
    await rm(room, { recursive: true });
  }
}
