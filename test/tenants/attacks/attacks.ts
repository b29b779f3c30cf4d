import { agents } from './agents.ts';
import type { Attack } from './attack.ts';
import { clock } from './clock.ts';
import { connections } from './connections.ts';
import { credentials } from './credentials.ts';
import { documents } from './documents.ts';
import { queries } from './queries.ts';
import { receivers } from './receivers.ts';
import { rules } from './rules.ts';
import { straight } from './straight.ts';
import { values } from './values.ts';

/** Attacks by one principal or by guests, each of a different kind. */
export const attacks: readonly Attack[] = [
  ...documents,
  ...values,
  ...rules,
  ...clock,
  ...queries,
  ...credentials,
  ...connections,
  ...receivers,
  ...agents,
  ...straight,
];
