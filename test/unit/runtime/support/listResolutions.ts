import { registerHooks } from 'node:module';
import { resolveQuickly } from '../../../../src/indexer/runtime/resolveQuickly.ts';

/**
 * Loads packages. Prints how each of their imports was resolved, and which ones Node itself resolved. With
 * the argument `quickly`, most are resolved without Node.
 */
const resolutions: string[] = [];
/** The imports that Node resolved, each with the importing module. */
const byNode: string[] = [];
registerHooks({
  resolve(specifier, context, nextResolve) {
    byNode.push(`${context.parentURL} ${specifier}`);
    return nextResolve(specifier, context);
  },
});
if (process.argv[2] === 'quickly') resolveQuickly();
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { url, format } = nextResolve(specifier, context);
    resolutions.push(`${context.parentURL} ${specifier} ${url} ${format}`);
    return { url, format, shortCircuit: true };
  },
});
// ES modules that import ES modules, a package with both kinds of modules, and CommonJS.
await import('drizzle-orm/node-postgres');
await import('viem/utils');
console.log(JSON.stringify({ byNode, resolutions: resolutions.sort() }));
