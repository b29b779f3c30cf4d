import { registerHooks } from 'node:module';

/**
 * Loaded into a child before its own program (`--import`): loads Drizzle as CommonJS. Linking its ES modules,
 * which re-export each other in circles, takes Node most of a second and 250 MB that are never freed. The
 * same code as CommonJS takes a fifth of both.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isDrizzle = specifier === 'drizzle-orm' || specifier.startsWith('drizzle-orm/');
    const conditions = context.conditions.map((condition) =>
      condition === 'import' ? 'require' : condition,
    );
    return nextResolve(specifier, isDrizzle ? { ...context, conditions } : context);
  },
});
