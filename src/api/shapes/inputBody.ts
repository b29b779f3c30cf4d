import { z } from '@hono/zod-openapi';
import { addressShape, deadlineShape, signatureShape, valuesShape } from './shapes.ts';

/** What an input is made of that is still to be signed; without a deadline the answer chooses one. */
export const unsignedInputBody = z.strictObject({
  inputId: z.string(),
  values: valuesShape,
  signer: addressShape,
  deadline: deadlineShape.optional(),
});

/** An input together with the permit of its signer. */
export const signedInputBody = z.strictObject({
  inputId: z.string(),
  values: valuesShape,
  signer: addressShape,
  deadline: deadlineShape,
  signature: signatureShape,
});
