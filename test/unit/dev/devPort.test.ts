import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseApiPort, PortError } from '../../../src/api/dev/devPort.ts';
import { findFreePort } from '../../../src/api/dev/freePort.ts';

const server = createServer();
let taken: number;
beforeAll(async () => {
  taken = await findFreePort();
  await new Promise<void>((resolve) => server.listen({ port: taken, host: '127.0.0.1' }, resolve));
});
afterAll(() => {
  server.close();
});

describe('chooseApiPort', () => {
  test('a free port that was asked for is used, and else the one of the last start', async () => {
    const [free, other] = [await findFreePort(), await findFreePort()];
    expect(await chooseApiPort({ configured: String(free), last: other })).toEqual({
      port: free,
      taken: undefined,
    });
    expect(await chooseApiPort({ configured: '', last: other })).toEqual({ port: other, taken: undefined });
  });

  test('a port that was asked for and is taken is refused', async () => {
    await expect(chooseApiPort({ configured: String(taken), last: undefined })).rejects.toThrow(PortError);
  });

  test('a port that nobody asked for and is taken is replaced, and named', async () => {
    const chosen = await chooseApiPort({ configured: undefined, last: taken });
    expect(chosen.taken).toBe(taken);
    expect(chosen.port).not.toBe(taken);
  });

  test.each(['abc', '65536', '1e9'])('%s is no port', async (configured) => {
    await expect(chooseApiPort({ configured, last: undefined })).rejects.toThrow(
      `PORT=${configured} is no port`,
    );
  });
});
