import { join } from 'node:path';

export const clusterDirectory = (dataDirectory: string) => join(dataDirectory, 'cluster');
