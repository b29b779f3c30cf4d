import { registerHooks } from 'node:module';

const quickEntity = new URL('drizzleEntity.ts', import.meta.url).href;

/**
 * Gives Drizzle this room's faster `is` from now on; the original took a fifth of the time of a backfill.
 * Call it before Drizzle is loaded, which Ponder does.
 *
 * It also resolves the imports between Drizzle's own modules. Node would parse Drizzle's manifest of 170 kB again for each of
 * several hundred modules. That took about a fifth of the processor time of an indexer's start.
 */
export function useQuickEntity(): void {
  const drizzle = new URL('.', import.meta.resolve('drizzle-orm')).href;
  const entity = new URL('entity.js', drizzle).href;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context;
      if (parentURL?.startsWith(drizzle) && /^\..*\.js$/.test(specifier)) {
        const { href: url } = new URL(specifier, parentURL);
        return url === entity
          ? nextResolve(quickEntity, context)
          : { url, format: 'module', shortCircuit: true };
      }
      const resolved = nextResolve(specifier, context);
      return resolved.url === entity ? nextResolve(quickEntity, context) : resolved;
    },
  });
}
