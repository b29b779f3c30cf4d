import { registerHooks } from 'node:module';

/** Loaded before a program. Prints each Drizzle module that the program loads. */
registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('/node_modules/drizzle-orm/')) console.log(url);
    return nextLoad(url, context);
  },
});
