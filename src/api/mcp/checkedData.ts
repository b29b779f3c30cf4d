import type { z } from 'zod';

/**
 * The data of an operation of this service, checked but not copied: a copy that zod makes of a map loses a member
 * called `__proto__`, which may be a variable or a field.
 *
 * @param shape must not transform.
 */
export function checkedData<Shape extends z.ZodType>(shape: Shape, data: unknown): z.output<Shape> {
  shape.parse(data);
  return data as z.output<Shape>;
}
