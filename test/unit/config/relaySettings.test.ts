import { parseEther, parseGwei } from 'viem';
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';
import { readRelaySettings } from '../../../src/platform/config/relaySettings.ts';

const chains = [{ chainId: 59141 }, { chainId: 84532 }];

test('without any variable every chain has the defaults', () => {
  const settings = readRelaySettings({}, chains);
  expect(settings.get(59141)).toEqual(settings.get(84532));
  expect(settings.get(84532)).toEqual({
    maxFeePerGas: parseGwei('50'),
    minBalance: undefined,
    cancelBudget: parseEther('0.005'),
    gasMarginPercent: 25,
    maxInFlight: 64,
    resendAfterMs: 12_000,
    replaceAfterMs: 36_000,
    pollMs: 1_000,
    leaseMs: 10_000,
  });
});

test('a variable applies to all chains without one of their own', () => {
  const settings = readRelaySettings(
    { RELAYER_MAX_FEE_GWEI: '20.5', RELAYER_MAX_FEE_GWEI_84532: '0.2', RELAYER_MIN_BALANCE_ETH: '0.01' },
    chains,
  );
  expect(settings.get(59141)).toMatchObject({
    maxFeePerGas: parseGwei('20.5'),
    minBalance: parseEther('0.01'),
  });
  expect(settings.get(84532)).toMatchObject({
    maxFeePerGas: parseGwei('0.2'),
    minBalance: parseEther('0.01'),
  });
});

test('every wrong variable is named once', () => {
  const read = () =>
    readRelaySettings(
      { RELAYER_MAX_FEE_GWEI: '0', RELAYER_MAX_IN_FLIGHT: 'many', RELAYER_LEASE_MS_59141: '1' },
      chains,
    );
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(/RELAYER_MAX_FEE_GWEI: .*\n.*RELAYER_MAX_IN_FLIGHT: .*\n.*RELAYER_LEASE_MS_59141: /);
});
