import { join } from 'node:path';

/** The cluster's directory within the given data directory. */
export const clusterDirectory = (dataDirectory: string) => join(dataDirectory, 'cluster');
