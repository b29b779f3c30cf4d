import { parseEther } from 'viem';
import type { RelaySettings } from '../../src/platform/config/relaySettings.ts';

/** Short times, so that tests need not wait long. */
export const quickSettings: RelaySettings = {
  maxFeePerGas: 100_000_000_000n,
  minBalance: undefined,
  cancelBudget: parseEther('0.01'),
  gasMarginPercent: 25,
  maxInFlight: 64,
  resendAfterMs: 400,
  replaceAfterMs: 60_000,
  pollMs: 100,
  leaseMs: 1_500,
};
