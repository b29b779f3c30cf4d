import { addressOfClone } from './chain.ts';
import { deployment, input, lamp, type Scene, toggle } from './scene.ts';
import * as service from './serviceRows.ts';
import type { Fixture } from './setup.ts';
import { chainId } from './setup.ts';

/** Makes rows of a fixture's database long, and counts what came of them. */
export function createLongRows({ pool, database }: Fixture) {
  const rowsOf = async <Row extends object>(query: string, values: unknown[] = []) =>
    (await pool.query<Row>(query, values)).rows;
  return {
    rowsOf,

    /** Payloads that are no list of fields: so many characters each, of the inputs that the condition names. */
    lengthenPayloads: (characters: number, where = 'true') =>
      pool.query(
        `update chain_index.inputs set payload = '0x' || repeat('ab', ${characters / 2}) where ${where}`,
      ),

    /** Each record gets a document of its own with so many characters. */
    lengthenDocuments: (characters: number, where = 'true') =>
      pool.query(
        `update service.records set document = document || repeat(' ', ${characters}), doc_hash = '0x' || md5(id) || md5(id)
        where ${where}`,
      ),

    /** How many transitions of each record were announced, in the order of the records. */
    async countEvents(): Promise<number[]> {
      const rows = await rowsOf<{ events: number }>(
        `select (select count(*)::int from service.events where record_id = r.id) as events from service.records r`,
      );
      return rows.map(({ events }) => events);
    },

    /** Records of one principal, each of another agreement. */
    async askForMany(scene: Scene, count: number): Promise<string[]> {
      scene.add(...Array.from({ length: count }, () => deployment()));
      await scene.show();
      const ids: string[] = [];
      for (let at = 0; at < count; at++) {
        const record = { principalId: scene.principalId, chainId, lamp, address: addressOfClone(at) };
        ids.push(await service.insertRecord(database, record));
      }
      await scene.fold();
      return ids;
    },
  };
}

/** An input that sets the brightness of each of the first agreements. */
export const toggleAll = (count: number, brightness: string) =>
  Array.from({ length: count }, (_, at) => input(toggle(brightness), { agreement: addressOfClone(at) }));
