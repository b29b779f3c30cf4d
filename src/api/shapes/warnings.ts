import { z } from '@hono/zod-openapi';

export const warningShape = z
  .object({ path: z.string(), message: z.string() })
  .openapi('Warning', { description: 'What is accepted and may surprise: where, and what.' });

export type Warning = { readonly path: string; readonly message: string };

/** Warnings in answers: as texts, and also in parts. */
export const warningMembers = {
  warnings: z
    .array(z.string())
    .openapi({ description: 'What is accepted and may surprise, each with its place first.' }),
  warningDetails: z.array(warningShape).openapi({ description: 'The same in parts.' }),
};

/** The members of an answer for these warnings. */
export function describeWarnings(warnings: readonly Warning[]): {
  warnings: string[];
  warningDetails: readonly Warning[];
} {
  return {
    warnings: warnings.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)),
    warningDetails: warnings.map(({ path, message }) => ({ path, message })),
  };
}
