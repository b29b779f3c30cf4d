import { describe, expect, test } from 'vitest';
import { PortError, reservePort } from '../../../src/cli/dev/devPort.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';

const unset = { setting: 'PORT', configured: undefined, last: undefined, usual: 0 };

describe('reservePort', () => {
  test('a free port that was asked for is reserved, else the one of the last start, else the usual one', async () => {
    const [asked, last, usual] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const choices = [
      { ...unset, configured: String(asked), last, usual },
      { ...unset, configured: '', last, usual },
      { ...unset, usual },
    ];
    for (const [at, wanted] of [asked, last, usual].entries()) {
      const { port, taken, release } = await reservePort({ ...unset, ...choices[at] });
      expect({ port, taken }).toEqual({ port: wanted, taken: undefined });
      await release();
    }
  });

  test('a reserved port is unavailable to others until it is released', async () => {
    const first = await reservePort(unset);
    const configured = String(first.port);
    await expect(reservePort({ ...unset, configured })).rejects.toThrow(`PORT=${configured} is taken`);
    await first.release();
    const second = await reservePort({ ...unset, configured });
    expect(second.port).toBe(first.port);
    await second.release();
  });

  test('a taken port that nobody configured is replaced, and reported', async () => {
    const first = await reservePort(unset);
    const second = await reservePort({ ...unset, last: first.port });
    expect(second.taken).toBe(first.port);
    expect(second.port).not.toBe(first.port);
    await Promise.all([first.release(), second.release()]);
  });

  test.each(['abc', '65536', '1e3', '-1'])('%s is no port', async (configured) => {
    await expect(reservePort({ ...unset, configured })).rejects.toThrow(PortError);
    await expect(reservePort({ ...unset, configured })).rejects.toThrow(`PORT=${configured} is no port`);
  });
});
