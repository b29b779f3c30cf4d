import type { Services } from '../../records/agreements/services.ts';
import type { Admission } from './createAdmission.ts';

/** The dependencies of admission. */
export type AdmissionServices = Services & { readonly admission: Admission };
