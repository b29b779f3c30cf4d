import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { stack } from '../client/support/stack.ts';

test('the example agent plays both parties of an agreement to its end', async () => {
  const env = {
    ...process.env,
    AGREEMENTS_MCP: `${stack.baseUrl}/mcp`,
    AGREEMENTS_KEY: stack.apiKey,
  };
  const program = ['examples/agents/playBothParties.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env });
  expect(stdout.match(/^submit_signed$/gm)).toHaveLength(6);
  expect(stdout).toMatch(/is in state "ACCEPTED"\. No input leads on from this state: it is final\.\n$/);
});
