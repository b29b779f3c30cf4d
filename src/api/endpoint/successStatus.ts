import type { ClientProfile } from '../../platform/config/clientProfile.ts';

/** What a request is answered with that has done what it should; a profile may know it by another status than the service. */
export function successStatus(method: string, profile: ClientProfile): 200 | 201 {
  return method === 'post' && profile === 'shodai' ? 201 : 200;
}
