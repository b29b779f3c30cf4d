import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createKeySigner } from './keySigner.ts';
import { type KmsKey, type KmsTimes, openKmsSigner } from './kmsSigner.ts';
import type { Signer } from './signer.ts';
import type { SignerSettings } from './signerSettings.ts';

/** The signers of one chain: the available ones, and those that an external service must provide first. */
export type RelaySigners = {
  readonly ready: readonly Signer[];
  /**
   * Each resolves when its signer is available, however long that takes; with undefined if opening was given
   * up.
   */
  readonly awaited: readonly Promise<Signer | undefined>[];
};

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Opens the signers of all chains. If a service does not answer, its signers are retried until `stop` is
 * aborted, while the others work. A key that serves several chains is opened once.
 */
export function openSigners(
  byChain: ReadonlyMap<number, SignerSettings>,
  options: { stop: AbortSignal; logger: Logger; kmsTimes?: KmsTimes },
): ReadonlyMap<number, RelaySigners> {
  const opened = new Map<string, Promise<Signer | undefined>>();
  const openOnce = (key: KmsKey) => {
    const name = JSON.stringify(key);
    const opening = opened.get(name) ?? keepOpening(key, options);
    opened.set(name, opening);
    return opening;
  };
  return new Map(
    [...byChain].map(([chainId, { keys, kms }]) => [
      chainId,
      { ready: keys.map(createKeySigner), awaited: kms.map(openOnce) },
    ]),
  );
}

async function keepOpening(
  key: KmsKey,
  { stop, logger, kmsTimes }: { stop: AbortSignal; logger: Logger; kmsTimes?: KmsTimes },
): Promise<Signer | undefined> {
  for (let pauseMs = firstPauseMs; !stop.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const signer = await openKmsSigner(key, kmsTimes);
      logger.info({ wallet: signer.address, keyId: key.keyId }, 'a remote signer is available');
      return signer;
    } catch (error) {
      logger.error({ err: error, keyId: key.keyId, pauseMs }, 'a remote signer is unavailable; retrying');
      await delay(pauseMs, undefined, { signal: stop, ref: false }).catch(() => {});
    }
  }
  return undefined;
}
