import { join } from 'node:path';

/** Where the cluster lies within the directory that was given for the data. */
export const clusterDirectory = (dataDirectory: string) => join(dataDirectory, 'cluster');
