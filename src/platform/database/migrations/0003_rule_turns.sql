ALTER TABLE "service"."rule_schedules" ADD COLUMN "principal_id" text;--> statement-breakpoint
UPDATE "service"."rule_schedules" SET "principal_id" = r."principal_id" FROM "service"."records" r WHERE r."id" = "record_id";--> statement-breakpoint
CREATE INDEX "rule_schedules_turns" ON "service"."rule_schedules" USING btree ("chain_id",(coalesce(principal_id, '')),"due_ms") WHERE due_ms is not null;