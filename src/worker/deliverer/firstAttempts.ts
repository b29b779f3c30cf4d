import { rounds } from '../../platform/database/tables/webhooks.ts';

/** The order of the feed is kept among this many pending deliveries. */
const windowSize = 64;

/** The earliest delivery of each record in a range, by one step in the index for each. Goes as far as it is read. */
const walk = (name: string, range: string) => {
  const nextOf = (condition: string) => `
    select * from service.deliveries
    where ${rounds.key} = wanted.subscription_id and ${rounds.condition} and ${condition}
    order by record_id, position limit 1`;
  return `${name} as (
    (select * from (${nextOf(range)}) as next where (select count(*) from earliest) < (select count(*) from pending))
    union all
    select next.* from ${name} cross join lateral (${nextOf(`record_id > ${name}.record_id and ${range}`)}) as next)`;
};

/**
 * SQL of the first attempts of the subscription `wanted`: the earliest delivery of each record, unless it is in flight
 * (`$3`). Has the columns of deliveries, `turn` for their order, and `is_of_round`.
 *
 * In the order of the feed alone, a record with many pending deliveries would keep the others waiting. So if the first
 * ones in the feed include several of one record, each second place goes round all records. A delivery found in both
 * ways takes the earlier place. The cost does not depend on how many are pending.
 */
export const firstAttempts = `
  with recursive pending as materialized (
    select * from service.deliveries
    where subscription_id = wanted.subscription_id and status = 'pending' and position is not null
    order by position limit ${windowSize}
  ), earliest as materialized (
    select distinct on (record_id) * from pending order by record_id, position
  ), feed as materialized (
    select *, 2 * row_number() over (order by position) as turn
    from earliest where id <> all($3::text[]) order by position limit wanted.free
  ), ${walk('ahead', 'record_id > wanted.round_after')},
  ${walk('behind', 'record_id <= wanted.round_after')}
  select * from (
    select distinct on (id) * from (
      (select *, false as is_of_round from feed)
      union all
      (select *, 2 * row_number() over () + case when wanted.is_round_next then -1 else 1 end, true
        from (select * from ahead union all select * from behind) as round
        where id <> all($3::text[]) and id not in (select id from feed where turn = 2)
        limit wanted.free)
    ) as either order by id, turn
  ) as first order by turn limit wanted.free`;
