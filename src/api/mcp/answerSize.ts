import { z } from 'zod';

/** In tokens of four characters; agents read the answer without choosing to. */
export const usualTokens = 2_000;
const mostTokens = 50_000;
export const charactersPerToken = 4;

/** The argument of tools with possibly long answers. */
export const maxTokensArgument = z
  .int()
  .min(500)
  .max(mostTokens)
  .optional()
  .describe(`Room for the answer; ${usualTokens} unless given. What does not fit is named in omitted.`);

/** The member of answers that may have been shortened. */
export const omittedMember = z
  .array(z.string())
  .optional()
  .describe('What was cut for length; ask with a larger maxTokens.');
