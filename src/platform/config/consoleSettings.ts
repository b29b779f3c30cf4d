import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { isOrigin, list } from './settingShapes.ts';

/** No other characters, so that the value cannot change the rest of the policy or name any host. */
const framingOrigin = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/;

const shape = z.object({
  isServed: variable(
    'CONSOLE',
    z
      .enum(['on', 'off'], { error: 'expected on or off' })
      .default('on')
      .transform((text) => text === 'on'),
  ),
  /** Origins whose pages may frame the console. */
  frameAncestors: variable(
    'CONSOLE_FRAME_ANCESTORS',
    list(/[\s,]+/)
      .refine(
        (origins) => origins.every((origin) => framingOrigin.test(origin) && isOrigin(origin)),
        'expected origins such as https://app.example.com',
      )
      .default([]),
  ),
});

export type ConsoleSettings = Readonly<z.output<typeof shape>>;

/**
 * Whether the API serves the console, and who may frame it.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readConsoleSettings(env: NodeJS.ProcessEnv): ConsoleSettings {
  return readSettings(shape, env);
}
