DROP INDEX "service"."transactions_chain_id_mined_block_number_index";--> statement-breakpoint
DROP INDEX "service"."transactions_open_permit";--> statement-breakpoint
DROP INDEX "service"."transactions_open";--> statement-breakpoint
CREATE INDEX "transactions_mined" ON "service"."transactions" USING btree ("chain_id","mined_block_number") WHERE mined_block_number is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_open_permit" ON "service"."transactions" USING btree ("chain_id",lower("contract"),lower("signer"),"permit_nonce") WHERE state <> 'failed';--> statement-breakpoint
CREATE INDEX "transactions_open" ON "service"."transactions" USING btree ("chain_id","deadline") WHERE state in ('accepted', 'signed', 'broadcast');