/** A rule's firing for a recipient, and its occasion. */
export type Firing = { readonly ruleId: string; readonly recipient: string; readonly occasion: string };

/** The newest firings of a record that are read: those of the present stay in a state are among them. */
const firingsAtOnce = 1_000;

/** SQL for the newest firings of the record `r` as a list of `Firing`, without withdrawn ones; null if there are none. */
export const newestFirings = `(
    select json_agg(json_build_object('ruleId', f.rule_id, 'recipient', f.recipient, 'occasion', f.occasion))
    from (select * from service.rule_firings f
      where f.record_id = r.id and f.state <> 'withdrawn' order by f.created_at desc limit ${firingsAtOnce}) f)`;
