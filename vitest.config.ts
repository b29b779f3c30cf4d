import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests start some two hundred processes of the same code; without a cache each would compile it again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

/** Keeps one test's large comparison from burying the log of all tests. */
const diff = process.env.CI ? { truncateThreshold: 12 } : {};

/** For all projects except `unit`, which needs nothing, and `contracts`, which starts only chains. */
const withDatabase = {
  diff,
  // Longer than any wait in a test; the wait itself reports what did not come.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // How long a condition may take depends on the machine's load.
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    // For files whose tests mostly wait: each starts its own processes.
    maxConcurrency: 3,
    // One PostgreSQL for all projects.
    globalSetup: ['test/support/globalPostgres.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          diff,
          isolate: false,
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'contracts',
          diff,
          isolate: false,
          include: ['test/contracts/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      { test: { name: 'index', include: ['test/index/**/*.test.ts'], ...withDatabase } },
      {
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          ...withDatabase,
          // Loading the service takes longer than most of these files.
          isolate: false,
          setupFiles: ['test/service/support/beforeFile.ts'],
        },
      },
      {
        test: {
          name: 'client',
          include: ['test/client/**/*.test.ts', 'test/mcp/**/*.test.ts'],
          ...withDatabase,
          isolate: false,
          // A whole service, which brings its own database.
          globalSetup: ['test/client/support/globalStack.ts'],
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          ...withDatabase,
          // As long as the caller who asks for many requests is ready to wait.
          testTimeout: 3_600_000,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...withDatabase } },
      // Short runs of longer commands: `npm run test:long`, and `.ci/run`.
      { test: { name: 'long', include: ['test/long/**/*.test.ts'], ...withDatabase } },
    ],
  },
});
