/** A rule's firing for a recipient, and its occasion. */
export type Firing = { readonly ruleId: string; readonly recipient: string; readonly occasion: string };

/**
 * The newest firings of a record that are read. If rules with intervals fire often, older ones of the present stay are not
 * among them: a preview then says that a rule fires once more which does not. Nothing is sent because of it.
 */
export const firingsAtOnce = 1_000;

/**
 * SQL for the newest firings of the record `r` as a list of `Firing`; null if there are none. Withdrawn ones are among them:
 * only firings of transitions are ever withdrawn, and no rule of time shares their occasions.
 */
export const newestFirings = `(
    select json_agg(json_build_object('ruleId', f.rule_id, 'recipient', f.recipient, 'occasion', f.occasion))
    from (select * from service.rule_firings f
      where f.record_id = r.id order by f.created_at desc limit ${firingsAtOnce}) f)`;
