import { z } from '@hono/zod-openapi';
import type { ClientProfile } from '../../platform/config/clientProfile.ts';
import { MalformedError } from '../../platform/errors/serviceError.ts';
import type { Range } from '../../platform/lists/listFilters.ts';
import type { PageRequest } from '../../platform/lists/page.ts';
import type { Sort } from '../../platform/lists/sort.ts';

const maxPage = 100;
const defaultPage = 25;
const maxCursor = 4_096;

export const pageParameters = {
  limit: z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxPage, `must be from 1 to ${maxPage}`)
    .default(defaultPage)
    .openapi({ type: 'integer', minimum: 1, maximum: maxPage, default: defaultPage }),
  cursor: z.string().max(maxCursor).optional().openapi({ description: '`nextCursor` of the previous page.' }),
};

/** The database has no year 0, no time zone beyond 16 hours, and a limited number of digits of a second. */
export const instantShape = z.iso
  .datetime({ offset: true, error: ({ input }) => (input === undefined ? undefined : wordInstant(input)) })
  .refine((text) => !/\.\d{10}/.test(text), 'must have at most 9 fractional digits')
  .refine((text) => !text.startsWith('0000'), 'must be in the year 1 or later')
  .refine((text) => !/[+-](1[6-9]|2\d):\d\d$/.test(text), 'must have a UTC offset of less than 16 hours');

function wordInstant(input: unknown): string {
  const expected = 'must be a date and time with a time zone, such as 2026-01-31T12:00:00Z';
  const hasLostPlus = typeof input === 'string' && / \d\d:\d\d$/.test(input);
  return hasLostPlus ? `${expected}; in a URL, write + as %2B` : expected;
}

/** A day stands for its first moment in UTC. */
const dayShape = z.iso
  .date()
  .refine((text) => !text.startsWith('0000'), 'must be in the year 1 or later')
  .transform((day) => `${day}T00:00:00Z`);

/** Bounds of the times of creation and last change; some clients send days. */
export function buildInstantParameters(profile: ClientProfile) {
  const instant = profile === 'shodai' ? takeDays(instantShape) : instantShape;
  const parameter = instant.optional();
  return {
    'createdAt[gt]': parameter,
    'createdAt[gte]': parameter,
    'createdAt[lt]': parameter,
    'createdAt[lte]': parameter,
    'updatedAt[gt]': parameter,
    'updatedAt[gte]': parameter,
    'updatedAt[lt]': parameter,
    'updatedAt[lte]': parameter,
  };
}

/** Text that is neither gets the error message of a moment. */
function takeDays(moment: typeof instantShape) {
  return z
    .string()
    .transform((text, context): string => {
      const day = dayShape.safeParse(text);
      if (day.success) return day.data;
      const parsed = moment.safeParse(text);
      for (const { message } of parsed.error?.issues ?? []) context.addIssue(message);
      return text;
    })
    .openapi({ type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] });
}

export const sortParameter = z.enum(['asc', 'desc']).optional();

type Instants = {
  readonly [Name in keyof ReturnType<typeof buildInstantParameters>]?: string | undefined;
};

export function readRanges(query: Instants): { createdAt: Range; updatedAt: Range } {
  const rangeOf = (name: 'createdAt' | 'updatedAt'): Range => ({
    gt: query[`${name}[gt]`],
    gte: query[`${name}[gte]`],
    lt: query[`${name}[lt]`],
    lte: query[`${name}[lte]`],
  });
  return { createdAt: rangeOf('createdAt'), updatedAt: rangeOf('updatedAt') };
}

type PageQuery = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly 'sort[createdAt]'?: 'asc' | 'desc' | undefined;
  readonly 'sort[updatedAt]'?: 'asc' | 'desc' | undefined;
  readonly 'sort[displayName]'?: 'asc' | 'desc' | undefined;
};

const kinds = { createdAt: 'instant', updatedAt: 'instant', displayName: 'text' } as const;

/**
 * The page of a list that a query asks for; by default newest first.
 *
 * @throws MalformedError for more than one sort.
 */
export function readPage(query: PageQuery): PageRequest {
  const { limit, cursor } = query;
  const sorts = (['createdAt', 'updatedAt', 'displayName'] as const).flatMap((name): Sort[] => {
    const direction = query[`sort[${name}]`];
    return direction ? [{ name, kind: kinds[name], direction }] : [];
  });
  const [sort = { name: 'createdAt', kind: 'instant', direction: 'desc' }, ...others] = sorts;
  if (others.length === 0) return { sort, limit, cursor };
  const issues = sorts.map(({ name }) => ({
    path: `sort[${name}]`,
    message: 'must be the only sort field',
  }));
  throw new MalformedError('The query is not as expected.', { field: 'sort', issues });
}
