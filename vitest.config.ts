import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ProjectOrder } from './test/support/projectOrder.ts';

// Tests start some two hundred processes of the same code; without a cache each would compile it again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

/** Keeps one test's large comparison from burying the log of all tests. */
const diff = process.env.CI ? { truncateThreshold: 12 } : {};

/** Variables that ask for the long form of some tests, which may take any time. */
const longForms = ['CLIENT_FAULT_CALLS', 'COMPILE_RUNS', 'EVIDENCE_ALL', 'FUZZ_REQUESTS', 'PLANS_ALL'];
const testTimeout = longForms.some((name) => process.env[name] !== undefined) ? 3_600_000 : 60_000;

/** For all projects except `unit`, which needs nothing, and `contracts`, which starts only chains. */
const withDatabase = {
  diff,
  testTimeout,
  // A hook may start chains, indexers and a whole service, and each process needs seconds of CPU time to load its code.
  hookTimeout: 180_000,
  // How long a condition may take depends on the machine's load.
  expect: { poll: { timeout: 60_000 } },
};

/** A test of these projects may start three indexers and take a minute on an idle machine, and several minutes on a busy one. */
const withIndexers = {
  ...withDatabase,
  isolate: false,
  testTimeout: Math.max(testTimeout, 300_000),
  hookTimeout: 300_000,
};

export default defineConfig({
  test: {
    // Most tests wait for processes that they have started: two workers for each of two processors leave little of the time idle.
    maxWorkers: 4,
    // For files whose tests mostly wait: each starts its own processes.
    maxConcurrency: 3,
    sequence: { sequencer: ProjectOrder },
    // The programs under test and one PostgreSQL, for all projects.
    globalSetup: ['test/support/globalPrograms.ts', 'test/support/globalPostgres.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          diff,
          isolate: false,
          include: ['test/unit/**/*.test.ts'],
          testTimeout,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'contracts',
          diff,
          isolate: false,
          include: ['test/contracts/**/*.test.ts'],
          testTimeout,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'index',
          include: ['test/index/**/*.test.ts'],
          ...withIndexers,
          // The tests of the schema's lock wait for leases to end, and compute nothing meanwhile.
          maxConcurrency: 4,
        },
      },
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
          // One test sends several hundred requests.
          testTimeout: Math.max(testTimeout, 180_000),
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...withIndexers } },
      // Kills, reorganisations, large requests, and short runs of longer commands: `npm run test:long`, and `.ci/run`.
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          ...withIndexers,
          setupFiles: ['test/service/support/beforeFile.ts'],
        },
      },
    ],
  },
});
