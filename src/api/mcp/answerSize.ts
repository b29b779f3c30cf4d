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
  .describe(
    `The most tokens of the answer; ${usualTokens} by default. Parts that do not fit are named in omitted.`,
  );

/** The member of answers that may have been shortened. */
export const omittedMember = z
  .array(z.string())
  .optional()
  .describe('Parts left out for length; call again with a larger maxTokens to get them.');
