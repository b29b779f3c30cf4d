/**
 * Which clients the service suits: `default` is the interface to the letter, `shodai` suits the clients of the hosted service. They
 * expect 201 of a POST that succeeds, read the state right after an input, filter by days, and may leave out the chain of a preflight.
 */
export const clientProfiles = ['default', 'shodai'] as const;
export type ClientProfile = (typeof clientProfiles)[number];

/** What a setting is under a profile unless it is set, where that is not the default of all. */
export const profileDefaults: Readonly<Record<ClientProfile, Readonly<Record<string, string>>>> = {
  default: {},
  shodai: { INPUT_WAIT_MS: '5000' },
};
