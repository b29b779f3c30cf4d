CREATE TABLE "service"."mails" (
	"firing_id" text PRIMARY KEY NOT NULL,
	"address" text,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"status" text NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."rule_firings" (
	"id" text PRIMARY KEY NOT NULL,
	"record_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"recipient" text NOT NULL,
	"occasion" text NOT NULL,
	"trigger_type" text NOT NULL,
	"channel" text NOT NULL,
	"state" text NOT NULL,
	"chain_id" integer NOT NULL,
	"block_number" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."rule_schedules" (
	"record_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"stay" text NOT NULL,
	"span" text NOT NULL,
	"chain_id" integer NOT NULL,
	"state" text NOT NULL,
	"from_state" text NOT NULL,
	"input_id" text NOT NULL,
	"entered_ms" bigint NOT NULL,
	"since_ms" bigint NOT NULL,
	"since_block" bigint NOT NULL,
	"until_ms" bigint,
	"until_block" bigint,
	"date" text,
	"starts_ms" bigint,
	"ends_ms" bigint,
	"interval_ms" bigint,
	"next_number" bigint DEFAULT 0 NOT NULL,
	"due_ms" bigint GENERATED ALWAYS AS (case
      when interval_ms is null and next_number > 0 then null
      when starts_ms + next_number * coalesce(interval_ms, 0) >= until_ms then null
      when starts_ms + next_number * coalesce(interval_ms, 0) > ends_ms then null
      else starts_ms + next_number * coalesce(interval_ms, 0) end) STORED,
	CONSTRAINT "rule_schedules_record_id_rule_id_span_pk" PRIMARY KEY("record_id","rule_id","span")
);
--> statement-breakpoint
ALTER TABLE "service"."mails" ADD CONSTRAINT "mails_firing_id_rule_firings_id_fk" FOREIGN KEY ("firing_id") REFERENCES "service"."rule_firings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."rule_firings" ADD CONSTRAINT "rule_firings_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."rule_schedules" ADD CONSTRAINT "rule_schedules_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rule_firings_record_id_rule_id_recipient_index" ON "service"."rule_firings" USING btree ("record_id","rule_id","recipient");--> statement-breakpoint
CREATE INDEX "rule_firings_pending" ON "service"."rule_firings" USING btree ("chain_id","block_number") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "rule_firings_chain_id_block_number_index" ON "service"."rule_firings" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "rule_schedules_due" ON "service"."rule_schedules" USING btree ("chain_id","due_ms") WHERE due_ms is not null;--> statement-breakpoint
CREATE INDEX "rule_schedules_open" ON "service"."rule_schedules" USING btree ("record_id") WHERE until_ms is null;--> statement-breakpoint
CREATE INDEX "rule_schedules_chain_id_since_block_index" ON "service"."rule_schedules" USING btree ("chain_id","since_block");--> statement-breakpoint
CREATE INDEX "rule_schedules_chain_id_until_block_index" ON "service"."rule_schedules" USING btree ("chain_id","until_block");