import { readFileSync } from 'node:fs';

const kibibyte = 1_024;

/** The resident memory of a process in bytes. */
export function readMemory(pid: number): number {
  const text = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (text === undefined) throw new Error(`the process ${pid} has no memory`);
  return Number(text) * kibibyte;
}
