DROP INDEX "service"."inputs_status_created";--> statement-breakpoint
DROP INDEX "service"."inputs_status_updated";--> statement-breakpoint
DROP INDEX "service"."inputs_named_created";--> statement-breakpoint
DROP INDEX "service"."inputs_named_updated";--> statement-breakpoint
DROP INDEX "service"."records_chain_created";--> statement-breakpoint
DROP INDEX "service"."records_chain_updated";--> statement-breakpoint
DROP INDEX "service"."records_chain_named";--> statement-breakpoint
DROP INDEX "service"."records_state_created";--> statement-breakpoint
DROP INDEX "service"."records_state_updated";--> statement-breakpoint
DROP INDEX "service"."records_state_named";--> statement-breakpoint
CREATE INDEX "inputs_status_created" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '')),"created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_status_updated" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '')),"updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_named_created" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '') || ' ' || left(input_id, 64)),"created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_named_updated" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '') || ' ' || left(input_id, 64)),"updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "records_chain_created" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text),"created_at","id");--> statement-breakpoint
CREATE INDEX "records_chain_updated" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text),"updated_at","id");--> statement-breakpoint
CREATE INDEX "records_chain_named" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text),"display_name","id");--> statement-breakpoint
CREATE INDEX "records_state_created" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text || ' ' || left(state, 64)),"created_at","id");--> statement-breakpoint
CREATE INDEX "records_state_updated" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text || ' ' || left(state, 64)),"updated_at","id");--> statement-breakpoint
CREATE INDEX "records_state_named" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text || ' ' || left(state, 64)),"display_name","id");