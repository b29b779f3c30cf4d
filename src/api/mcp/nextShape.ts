import { z } from 'zod';

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
      fields: z.array(
        z.object({
          name: z.string(),
          type: z.string(),
          required: z.boolean(),
          quotedValidation: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  )
  .describe('Inputs that the state takes');
