import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

export type ConsoleSettings = {
  readonly isServed: boolean;
  /** Origins whose pages may frame the console. */
  readonly frameAncestors: readonly string[];
};

const shape = z.object({
  CONSOLE: z.enum(['on', 'off'], { error: 'expected on or off' }).default('on'),
  CONSOLE_FRAME_ANCESTORS: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ''))
    .refine((origins) => origins.every(isOrigin), 'expected origins such as https://app.example.com'),
});

/**
 * Whether the API serves the console, and who may frame it.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readConsoleSettings(env: NodeJS.ProcessEnv): ConsoleSettings {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const result = shape.safeParse(set);
  if (!result.success)
    throw new ConfigurationError(
      result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
    );
  const { CONSOLE, CONSOLE_FRAME_ANCESTORS } = result.data;
  return { isServed: CONSOLE === 'on', frameAncestors: CONSOLE_FRAME_ANCESTORS };
}

/** No other characters, so that the value cannot change the rest of the policy or name any host. */
function isOrigin(text: string): boolean {
  return (
    /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(text) &&
    URL.canParse(text) &&
    new URL(text).origin === text
  );
}
