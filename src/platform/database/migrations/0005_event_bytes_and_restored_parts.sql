ALTER TABLE "service"."usage_days" ADD COLUMN "event_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "service"."quarantined_records" ADD COLUMN "restored" json;