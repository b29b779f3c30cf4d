import pg from 'pg';
import { z } from 'zod';
import { setUpSession } from '../../../src/platform/database/sessionSettings.ts';

/** What the database did for one statement. */
export type Effort = {
  /** Rows that scans returned or discarded. */
  rowsRead: number;
  /** Rows of its result. */
  rowsReturned: number;
  /** Rows in the largest sort. */
  rowsSorted: number;
  /** Pages of tables and indexes read. Entries that an index scan skips count here too. */
  pages: number;
  /** Whether the plan was JIT-compiled, which takes longer than reading any page. */
  isCompiled: boolean;
  /** The plan in one line: its nodes with their indexes and rows. */
  plan: string;
};

export type ExplainedPool = {
  pool: pg.Pool;
  /** The efforts since the last call, one per statement. */
  takeEfforts(): Effort[];
};

/** A pool of one connection that reports how the database ran each statement, exactly as sent. */
export function createExplainedPool(url: string, settings: Readonly<Record<string, string>>): ExplainedPool {
  const all = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    client_min_messages: 'notice',
    ...settings,
  };
  // PostgreSQL loads the library only when a session begins.
  const options = Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    options,
    onConnect: (client) => setUpSession(client),
  });
  let efforts: Effort[] = [];
  // If the database is dropped, its connections end before the pool has closed them.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const start = message.indexOf('{');
      if (start === -1) return;
      const { Plan: plan, JIT: compiled } = explained.parse(JSON.parse(message.slice(start)));
      efforts.push({
        ...measure(plan),
        rowsReturned: rowsOf(plan),
        isCompiled: compiled !== undefined,
        plan: describe(plan),
      });
    });
  });
  return {
    pool,
    takeEfforts() {
      const taken = efforts;
      efforts = [];
      return taken;
    },
  };
}

type Node = {
  'Node Type': string;
  'Index Name'?: string | undefined;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number | undefined;
  'Rows Removed by Index Recheck'?: number | undefined;
  'Shared Hit Blocks'?: number | undefined;
  'Shared Read Blocks'?: number | undefined;
  Plans?: Node[] | undefined;
};
const node: z.ZodType<Node> = z.object({
  'Node Type': z.string(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  'Rows Removed by Index Recheck': z.number().optional(),
  'Shared Hit Blocks': z.number().optional(),
  'Shared Read Blocks': z.number().optional(),
  get Plans() {
    return z.array(node).optional();
  },
});
const explained = z.object({ Plan: node, JIT: z.unknown().optional() });

/** Scans of tables and indexes only: rows of intermediate results were already read there. */
const scans = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan', 'Bitmap Index Scan']);

function measure(plan: Node): Pick<Effort, 'rowsRead' | 'rowsSorted' | 'pages'> {
  const parts = (plan.Plans ?? []).map(measure);
  const type = plan['Node Type'];
  const rows = plan['Actual Rows'] * plan['Actual Loops'];
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = scans.has(type) ? rows + removed * plan['Actual Loops'] : 0;
  const sorted = type.endsWith('Sort') ? Math.max(rows, ...(plan.Plans ?? []).map(rowsOf)) : 0;
  return {
    rowsRead: own + parts.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
    rowsSorted: Math.max(sorted, ...parts.map(({ rowsSorted }) => rowsSorted)),
    pages: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
  };
}

function rowsOf(plan: Node): number {
  return plan['Actual Rows'] * plan['Actual Loops'];
}

function describe(plan: Node): string {
  const parts = (plan.Plans ?? []).map(describe).join(', ');
  const name = [plan['Node Type'], plan['Index Name']].filter((part) => part !== undefined).join(' ');
  return `${name} ${rowsOf(plan)}${parts === '' ? '' : ` (${parts})`}`;
}
