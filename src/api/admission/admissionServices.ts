import type { Services } from '../../records/agreements/services.ts';
import type { Admission } from './createAdmission.ts';

export type AdmissionServices = Services & { readonly admission: Admission };
