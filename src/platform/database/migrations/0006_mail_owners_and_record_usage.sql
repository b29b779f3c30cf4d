CREATE TABLE "service"."record_usage_days" (
	"record_id" text NOT NULL,
	"day" date NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"event_bytes" bigint DEFAULT 0 NOT NULL,
	"mails" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "record_usage_days_record_id_day_pk" PRIMARY KEY("record_id","day")
);
--> statement-breakpoint
ALTER TABLE "service"."rule_firings" ADD COLUMN "principal_id" text;--> statement-breakpoint
ALTER TABLE "service"."record_usage_days" ADD CONSTRAINT "record_usage_days_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "record_usage_days_day_index" ON "service"."record_usage_days" USING btree ("day");