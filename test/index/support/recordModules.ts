import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into the indexer: writes the path of each file that Ponder's loader reads into the file named by
 * RECORDED_MODULES. Node reads the modules that it loads in other ways, so they are not recorded.
 */
const { RECORDED_MODULES: list } = process.env;
if (list !== undefined && isMainThread) {
  const read = fs.promises.readFile;
  const record = (path: unknown, ...rest: unknown[]): unknown => {
    fs.appendFileSync(list, `${String(path)}\n`);
    return Reflect.apply(read, fs.promises, [path, ...rest]);
  };
  Object.assign(fs.promises, { readFile: record });
  syncBuiltinESMExports();
}
