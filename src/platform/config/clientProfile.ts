/**
 * The clients that the service serves: `default` follows the interface exactly, `shodai` serves clients of
 * the hosted service. Those expect 201 from a successful POST, read the state right after an input, filter by
 * days, and may leave out the chain of a preflight.
 */
export const clientProfiles = ['default', 'shodai'] as const;
export type ClientProfile = (typeof clientProfiles)[number];

/** The defaults of a profile, for settings that differ from the general default. */
export const profileDefaults: Readonly<Record<ClientProfile, Readonly<Record<string, string>>>> = {
  default: {},
  shodai: { INPUT_WAIT_MS: '5000' },
};
