/** Programs that Node runs, by the names of their built files. */
export const programs = {
  all: 'src/cli/start/all.ts',
  api: 'src/cli/start/api.ts',
  worker: 'src/cli/start/worker.ts',
  indexer: 'src/cli/start/indexer.ts',
  dev: 'src/cli/dev/dev.ts',
  demo: 'src/cli/demo/demo.ts',
  admin: 'src/cli/admin/admin.ts',
} as const;
export type ProgramName = keyof typeof programs;

/** Threads and further processes, which programs find by `new URL('….ts', import.meta.url)`. */
export const parts = {
  interimIndexer: 'src/cli/start/interimIndexer.ts',
  dieWithParent: 'src/platform/supervision/dieWithParent.ts',
  lockKeeper: 'src/indexer/runtime/lockKeeper.ts',
  pageWorker: 'src/api/documents/pageWorker.ts',
  evidencePageWorker: 'src/api/evidence/evidencePageWorker.ts',
} as const;

export function isProgramName(name: string | undefined): name is ProgramName {
  return name !== undefined && Object.hasOwn(programs, name);
}
