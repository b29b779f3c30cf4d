import { registerHooks } from 'node:module';

const quickEntity = new URL('drizzleEntity.ts', import.meta.url).href;

/**
 * Gives Drizzle this room's faster `is` from now on; the original took a fifth of the time of a backfill.
 * Call it before Drizzle is loaded, which Ponder does, and after `resolveQuickly`.
 */
export function useQuickEntity(): void {
  const entity = new URL('entity.js', import.meta.resolve('drizzle-orm')).href;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      return resolved.url === entity ? nextResolve(quickEntity, context) : resolved;
    },
  });
}
