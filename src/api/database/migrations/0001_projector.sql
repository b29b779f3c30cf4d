DROP INDEX "service"."records_chain_id_address_index";--> statement-breakpoint
ALTER TABLE "service"."records" ADD COLUMN "behind" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "inputs_pending" ON "service"."inputs" USING btree ("chain_id") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "records_contract" ON "service"."records" USING btree ("chain_id",lower("address"));--> statement-breakpoint
CREATE INDEX "records_deployed_in" ON "service"."records" USING btree ("chain_id","deploy_block_number");--> statement-breakpoint
CREATE INDEX "records_awaited" ON "service"."records" USING btree ("chain_id") WHERE status = 'Draft' and error is null;--> statement-breakpoint
CREATE INDEX "records_behind" ON "service"."records" USING btree ("chain_id") WHERE behind;--> statement-breakpoint
CREATE INDEX "transactions_not_final" ON "service"."transactions" USING btree ("chain_id","mined_block_number") WHERE state = 'mined';--> statement-breakpoint
CREATE INDEX "transactions_failed" ON "service"."transactions" USING btree ("chain_id",lower("contract"),lower("signer"),"permit_nonce") WHERE state = 'failed';