CREATE TABLE "service"."rule_counts" (
	"record_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"recipient" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "rule_counts_record_id_rule_id_recipient_pk" PRIMARY KEY("record_id","rule_id","recipient")
);
--> statement-breakpoint
DROP INDEX "service"."rule_firings_record_id_rule_id_recipient_index";--> statement-breakpoint
ALTER TABLE "service"."rule_schedules" ADD COLUMN "principal_id" text;--> statement-breakpoint
UPDATE "service"."rule_schedules" SET "principal_id" = r."principal_id" FROM "service"."records" r WHERE r."id" = "record_id";--> statement-breakpoint
INSERT INTO "service"."rule_counts" SELECT "record_id", "rule_id", "recipient", count(*) FROM "service"."rule_firings" WHERE "state" <> 'withdrawn' GROUP BY "record_id", "rule_id", "recipient";--> statement-breakpoint
ALTER TABLE "service"."rule_counts" ADD CONSTRAINT "rule_counts_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "portal_links_waiting" ON "service"."portal_links" USING btree (principal_id collate "C","expires_at") WHERE used_at is null and ended_at is null;--> statement-breakpoint
CREATE INDEX "sessions_in_force" ON "service"."sessions" USING btree (principal_id collate "C","expires_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "events_turns" ON "service"."events" USING btree ("chain_id","principal_id","block_number","record_id","block_order","created_at","id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "inputs_transitions" ON "service"."inputs" USING btree ("record_id","position") WHERE sequence is not null;--> statement-breakpoint
CREATE INDEX "rule_firings_record_id_created_at_index" ON "service"."rule_firings" USING btree ("record_id","created_at");--> statement-breakpoint
CREATE INDEX "rule_firings_created_at_index" ON "service"."rule_firings" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "rule_schedules_turns" ON "service"."rule_schedules" USING btree ("chain_id",(coalesce(principal_id, '')),"due_ms") WHERE due_ms is not null;--> statement-breakpoint
CREATE INDEX "rule_schedules_ended" ON "service"."rule_schedules" USING btree ("until_ms") WHERE until_ms is not null;--> statement-breakpoint
CREATE INDEX "signing_links_in_force" ON "service"."signing_links" USING btree (record_id collate "C","expires_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "deliveries_tests" ON "service"."deliveries" USING btree ("subscription_id","created_at") WHERE status = 'pending' and position is null;