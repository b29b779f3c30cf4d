import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

/** An object of `variable` shapes, and perhaps its transformation. */
type Settings<Output> = z.ZodType<Output> & (Pick<z.ZodObject, 'shape'> | { readonly in: z.ZodObject });

/** A setting whose value this variable holds as text. */
export function variable<T extends z.ZodType>(name: string, shape: T): T {
  return shape.meta({ variable: name });
}

/**
 * Reads the variables that the shapes of these settings name. An empty variable counts as not set: shells and
 * compose files leave such variables behind.
 *
 * @param nameOf the variable to read in place of the named one.
 * @throws ConfigurationError naming every variable that is missing or wrong.
 */
export function readSettings<Output>(
  settings: Settings<Output>,
  env: NodeJS.ProcessEnv,
  nameOf: (name: string) => string = (name) => name,
): Output {
  const { shape } = 'in' in settings ? settings.in : settings;
  const names = new Map(
    Object.entries(shape).map(([key, field]) => [key, nameOf(String(z.globalRegistry.get(field)?.variable))]),
  );
  const set = Object.fromEntries([...names].map(([key, name]) => [key, env[name] || undefined]));
  const result = settings.safeParse(set);
  if (result.success) return result.data;
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${names.get(String(path[0]))}: ${message}`),
  );
}

/** Names the variable of one chain, `<name>_<chainId>`, if it is set, and otherwise the one of all chains. */
export function ofChain(env: NodeJS.ProcessEnv, chainId: number): (name: string) => string {
  return (name) => (env[`${name}_${chainId}`] ? `${name}_${chainId}` : name);
}
