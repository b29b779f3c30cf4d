DROP INDEX "service"."transactions_accepted";--> statement-breakpoint
DROP INDEX "service"."transactions_unsettled";--> statement-breakpoint
CREATE INDEX "transactions_waiting" ON "service"."transactions" USING btree ("chain_id",(coalesce(principal_id, '')),"created_at","id") WHERE state = 'accepted';--> statement-breakpoint
CREATE INDEX "transactions_in_order" ON "service"."transactions" USING btree ((state || ' ' || chain_id::text || ' ' || contract || case when kind = 'input' then '' else ' ' || signer end),"created_at","id") WHERE state in ('accepted', 'signed', 'broadcast', 'mined');