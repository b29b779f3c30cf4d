/**
 * Read by the Vite within Ponder, which would otherwise watch every file below this directory, those of a local database
 * included, for changes that a running indexer has no use for. As CommonJS, since Vite writes a file of its own beside any other.
 */
module.exports = { server: { watch: null } };
