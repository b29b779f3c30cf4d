import { z } from '@hono/zod-openapi';
import { quoteUnlessPlain } from '../../protocol/quote.ts';

export const warningShape = z
  .object({ path: z.string(), message: z.string() })
  .openapi('Warning', { description: 'An accepted value that may be a mistake: its path and a message.' });

export type Warning = { readonly path: string; readonly message: string };

/** Warnings in answers: as texts, and also in parts. */
export const warningMembers = {
  warnings: z
    .array(z.string())
    .openapi({ description: 'Accepted values that may be mistakes. Each text starts with the path.' }),
  warningDetails: z.array(warningShape).openapi({ description: 'The warnings as objects.' }),
};

/** The members of an answer for these warnings. */
export function describeWarnings(warnings: readonly Warning[]): {
  warnings: string[];
  warningDetails: readonly Warning[];
} {
  return {
    warnings: warnings.map(({ path, message }) =>
      path === '' ? message : `${quoteUnlessPlain(path)} ${message}`,
    ),
    warningDetails: warnings.map(({ path, message }) => ({ path, message })),
  };
}
