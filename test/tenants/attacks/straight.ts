import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, pad, stringToHex, toHex } from 'viem';
import { type Attack, type AttackScene, times } from './attack.ts';

/** A shorter pause would be an attack on the chain's node. */
const pauseMs = 250;

const sending = (name: string, build: (scene: AttackScene) => Hex): Attack => ({
  name,
  async run(scene) {
    const payload = build(scene);
    while (scene.isOn()) await Promise.all([scene.submit(payload), delay(pauseMs)]);
  },
});

/** Any number of fields that all refer to the same bytes: 16 kB would become megabytes of values. */
function buildAliases(count: number, bytes: number): Hex {
  const word = (value: number) => toHex(value, { size: 32 }).slice(2);
  const offsets = times(count, () => word(32 * count)).join('');
  const id = pad(stringToHex('alias')).slice(2);
  return `0x${word(32)}${word(count)}${offsets}${id}${word(0)}${word(96)}${word(bytes)}${'ab'.repeat(bytes)}`;
}

/** Inputs that bypass the service: they go directly to the contract of an indexed agreement. */
export const straight: readonly Attack[] = [
  sending('fields of a payload that are all the same bytes', () => buildAliases(256, 8_192)),
  sending('payloads of fields that the document does not have', () => buildAliases(1, 32_768)),
  sending('the largest values straight to the contract', ({ largestPayload }) => largestPayload),
];
