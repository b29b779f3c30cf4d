import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePrograms } from './bundlePrograms.ts';

const [directory = 'dist/service'] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../../', import.meta.url));
await bundlePrograms(root, resolve(root, directory));
