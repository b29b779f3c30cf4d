import { z } from 'zod';
import { stateShape } from '../shapes/resources.ts';

const names = z.array(z.string());

export const nextShape = z
  .array(
    z.object({
      inputId: z.string(),
      by: names.describe('Variables whose wallets may send it'),
      wallets: names,
      anyone: z.boolean(),
      leadsTo: z.string(),
      quotedLeadsTo: z.string().optional(),
      followedBy: names.describe('Inputs that can follow it, at most 32; empty if it ends the agreement'),
      fields: stateShape.shape.acceptedInputs.element.shape.fields,
    }),
  )
  .describe('Inputs that the state takes');
