CREATE TABLE "service"."event_feeds" (
	"principal_id" text NOT NULL,
	"last_position" bigint NOT NULL,
	CONSTRAINT "event_feeds_principal_id_pk" PRIMARY KEY("principal_id")
);
--> statement-breakpoint
CREATE TABLE "service"."events" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"record_id" text,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"chain_id" integer,
	"block_number" bigint,
	"tx_hash" text,
	"block_order" integer DEFAULT 0 NOT NULL,
	"position" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"released_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service"."deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"subscription_id" text NOT NULL,
	"event_id" text NOT NULL,
	"record_id" text,
	"position" bigint,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"attempt_limit" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"response_status" integer,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "deliveries_event" UNIQUE("subscription_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "service"."delivery_attempts" (
	"id" serial PRIMARY KEY NOT NULL,
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"response_status" integer,
	"response_excerpt" text,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "service"."webhook_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"created_by_api_key_id" text,
	"url" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"event_types" json NOT NULL,
	"filters" json,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_until" timestamp (3) with time zone,
	"last_success_at" timestamp (3) with time zone,
	"last_failure_at" timestamp (3) with time zone,
	"failures_in_row" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "service"."event_feeds" ADD CONSTRAINT "event_feeds_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."events" ADD CONSTRAINT "events_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."events" ADD CONSTRAINT "events_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."deliveries" ADD CONSTRAINT "deliveries_subscription_id_webhook_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "service"."webhook_subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."deliveries" ADD CONSTRAINT "deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "service"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."deliveries" ADD CONSTRAINT "deliveries_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "service"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_created_by_api_key_id_api_keys_id_fk" FOREIGN KEY ("created_by_api_key_id") REFERENCES "service"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_feed" ON "service"."events" USING btree ("principal_id","position");--> statement-breakpoint
CREATE INDEX "events_pending" ON "service"."events" USING btree ("chain_id","block_number") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "events_chain_id_block_number_index" ON "service"."events" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "events_record_id_index" ON "service"."events" USING btree ("record_id");--> statement-breakpoint
CREATE INDEX "deliveries_subscription_id_created_at_id_index" ON "service"."deliveries" USING btree ("subscription_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_first" ON "service"."deliveries" USING btree ("subscription_id","position") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "service"."deliveries" USING btree ("subscription_id","next_attempt_at") WHERE status = 'retry_pending';--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "service"."deliveries" USING btree ("subscription_id","created_at") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "deliveries_event_id_index" ON "service"."deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "delivery_attempts_delivery_id_number_index" ON "service"."delivery_attempts" USING btree ("delivery_id","number");--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_principal_id_created_at_id_index" ON "service"."webhook_subscriptions" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_active" ON "service"."webhook_subscriptions" USING btree ("principal_id") WHERE status = 'active';