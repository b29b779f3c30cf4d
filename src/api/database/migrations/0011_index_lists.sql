DROP INDEX "service"."inputs_record_id_created_at_id_index";--> statement-breakpoint
DROP INDEX "service"."inputs_record_id_updated_at_id_index";--> statement-breakpoint
CREATE INDEX "inputs_created" ON "service"."inputs" USING btree ("record_id","created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_updated" ON "service"."inputs" USING btree ("record_id","updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_status_created" ON "service"."inputs" USING btree ("record_id","status","user_id","created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_status_updated" ON "service"."inputs" USING btree ("record_id","status","user_id","updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_named_created" ON "service"."inputs" USING btree ("record_id",left(input_id, 64),"status","user_id","created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_named_updated" ON "service"."inputs" USING btree ("record_id",left(input_id, 64),"status","user_id","updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "records_chain_created" ON "service"."records" USING btree ("principal_id","chain_id","created_at","id");--> statement-breakpoint
CREATE INDEX "records_chain_updated" ON "service"."records" USING btree ("principal_id","chain_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "records_chain_named" ON "service"."records" USING btree ("principal_id","chain_id","display_name","id");--> statement-breakpoint
CREATE INDEX "records_state_created" ON "service"."records" USING btree ("principal_id","chain_id",left(state, 64),"created_at","id");--> statement-breakpoint
CREATE INDEX "records_state_updated" ON "service"."records" USING btree ("principal_id","chain_id",left(state, 64),"updated_at","id");--> statement-breakpoint
CREATE INDEX "records_state_named" ON "service"."records" USING btree ("principal_id","chain_id",left(state, 64),"display_name","id");