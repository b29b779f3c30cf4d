import { registerHooks } from 'node:module';

/** A text that a module has once, and what stands there instead. */
export type Edit = readonly [text: string, replacement: string];

const ofPonder = /\/node_modules\/ponder\/dist\/esm\/(.+)$/;

/**
 * Edits modules of Ponder as they are loaded, by their names. Call it before Ponder is loaded.
 *
 * @throws Error when Ponder is loaded, if it is another version than these edits are for.
 */
export function editPonder(edits: ReadonlyMap<string, readonly Edit[]>): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const [, name = ''] = ofPonder.exec(url) ?? [];
      const own = edits.get(name);
      if (!own) return loaded;
      const { source } = loaded;
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
      return { ...loaded, source: own.reduce((edited, edit) => apply(edited, edit, name), text) };
    },
  });
}

function apply(source: string, [text, replacement]: Edit, name: string): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`Ponder's module ${name} is not the expected one: ${text}`);
  return parts.join(replacement);
}
