import type { Services } from '../../records/agreements/services.ts';
import type { Admission } from './createAdmission.ts';

/** What inputs are admitted with. */
export type AdmissionServices = Services & { readonly admission: Admission };
