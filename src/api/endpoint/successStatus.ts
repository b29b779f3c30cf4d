import type { ClientProfile } from '../../platform/config/clientProfile.ts';

/** The status of a successful request; a profile may use another one than the service. */
export function successStatus(method: string, profile: ClientProfile): 200 | 201 {
  return method === 'post' && profile === 'shodai' ? 201 : 200;
}
