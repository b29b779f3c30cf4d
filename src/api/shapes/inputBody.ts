import { z } from '@hono/zod-openapi';
import { addressShape, deadlineShape, inputNameShape, signatureShape, valuesShape } from './shapes.ts';

/** An input before its signature; without a deadline the answer chooses one. */
export const unsignedInputBody = z.strictObject({
  inputId: inputNameShape,
  values: valuesShape,
  signer: addressShape,
  deadline: deadlineShape.optional(),
});

export const signedInputBody = z.strictObject({
  inputId: inputNameShape,
  values: valuesShape,
  signer: addressShape,
  deadline: deadlineShape,
  signature: signatureShape,
});
