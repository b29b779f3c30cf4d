import { type ResolveFnOutput, registerHooks } from 'node:module';

/** The installed package that a module belongs to. */
const packageOf = /^file:.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//;
const isNeighbour = /^\.{1,2}\/.*\.js$/;
const isOtherPackage = /^[a-z@]/;

/**
 * From now on resolves the imports of installed packages without asking Node for each of several thousand. Node looks for each file,
 * and reads the manifest of its package, which may have 170 kB, each time. Here it does so once for a folder, and once for a name that
 * several modules of a package import.
 */
export function resolveQuickly(): void {
  const foldersOfModules = new Set<string>();
  const byName = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL = '', conditions } = context;
      const [parent] = packageOf.exec(parentURL) ?? [];
      if (parent === undefined || !conditions.includes('import')) return nextResolve(specifier, context);
      if (isNeighbour.test(specifier)) {
        const { href: url } = new URL(specifier, parentURL);
        const folder = url.slice(0, url.lastIndexOf('/'));
        if (foldersOfModules.has(folder)) return { url, format: 'module', shortCircuit: true };
        const resolved = nextResolve(specifier, context);
        if (resolved.format === 'module' && resolved.url === url) foldersOfModules.add(folder);
        return resolved;
      }
      if (!isOtherPackage.test(specifier)) return nextResolve(specifier, context);
      const key = `${parent} ${specifier}`;
      const known = byName.get(key);
      if (known) return { ...known, shortCircuit: true };
      const resolved = nextResolve(specifier, context);
      byName.set(key, resolved);
      return resolved;
    },
  });
}
