/** Read by the Vite within Ponder. As CommonJS, since Vite writes a file of its own beside any other. */
module.exports = {
  // It would watch every file below this directory, those of a local database included, for changes that a running indexer has no use for.
  server: { watch: null },
  plugins: [
    {
      name: 'load-packages-by-node',
      enforce: 'pre',
      /**
       * Vite is asked for packages with a folder `esm`, and so for Ponder and all that it imports, which Node has loaded before. Transforming
       * these several hundred modules, to run them once more, took a quarter of the processor time of an indexer's start.
       */
      load: (id) =>
        id.includes('/node_modules/') ? `module.exports = require(${JSON.stringify(id)});` : null,
    },
  ],
};
