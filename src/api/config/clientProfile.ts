/**
 * Which clients the service suits: `default` is the interface to the letter; under `shodai` a POST that succeeds is answered with
 * 201, as the clients of the hosted service expect it.
 */
export const clientProfiles = ['default', 'shodai'] as const;
export type ClientProfile = (typeof clientProfiles)[number];
