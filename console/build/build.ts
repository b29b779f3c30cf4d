import { buildConsole } from './buildConsole.ts';

await buildConsole();
