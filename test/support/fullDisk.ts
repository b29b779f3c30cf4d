import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';

/** A table whose disk can be full. */
export type FullDisk = {
  /**
   * `mounted`: a separate file system that really is full. `raised`: the same error from a trigger, if no
   * file system can be mounted.
   */
  kind: 'mounted' | 'raised';
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Call it after the database is dropped. */
  remove(serverPool: pg.Pool): Promise<void>;
};

const bytes = 2 ** 20;

/** Moves an empty table to a disk of one megabyte, if requested and if this process may mount one. */
export async function createFullDisk(
  pool: pg.Pool,
  { table, wanted }: { table: string; wanted: FullDisk['kind'] },
): Promise<FullDisk> {
  if (wanted === 'raised') return useTrigger(pool, table);
  const directory = await mkdtemp(join(tmpdir(), 'agreements-disk-'));
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', directory]);
  if (mount.status === 0) {
    const unmount = () => spawnSync('umount', [directory]);
    try {
      return await useMounted(pool, { table, directory, unmount });
    } catch (error) {
      unmount();
      throw error;
    }
  }
  await rm(directory, { recursive: true });
  return useTrigger(pool, table);
}

async function useMounted(
  pool: pg.Pool,
  { table, directory, unmount }: { table: string; directory: string; unmount(): void },
): Promise<FullDisk> {
  const { rows } = await pool.query<{ data_directory: string }>('show data_directory');
  const { uid, gid } = await stat(rows[0]?.data_directory ?? '');
  await chown(directory, uid, gid);
  const name = `full_${randomBytes(4).toString('hex')}`;
  await pool.query(`create tablespace ${name} location '${directory}'`);
  await pool.query(`alter table ${table} set tablespace ${name}`);
  const ballast = join(directory, 'ballast');
  return {
    kind: 'mounted',
    async fill() {
      const file = await open(ballast, 'w');
      try {
        for (;;) await file.write(Buffer.alloc(4_096));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast),
    async remove(serverPool) {
      await serverPool.query(`drop tablespace ${name}`);
      unmount();
      await rm(directory, { recursive: true });
    },
  };
}

async function useTrigger(pool: pg.Pool, table: string): Promise<FullDisk> {
  await pool.query(
    `create function raise_disk_full() returns trigger language plpgsql as $$ begin
       raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
  );
  return {
    kind: 'raised',
    async fill() {
      await pool.query(
        `create trigger disk_full before insert on ${table} for each row execute function raise_disk_full()`,
      );
    },
    async free() {
      await pool.query(`drop trigger disk_full on ${table}`);
    },
    async remove() {},
  };
}
