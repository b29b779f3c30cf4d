ALTER TABLE "service"."events" ADD COLUMN "trace_parent" text;--> statement-breakpoint
ALTER TABLE "service"."transactions" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "service"."transactions" ADD COLUMN "trace_parent" text;--> statement-breakpoint
CREATE INDEX "transactions_hash" ON "service"."transactions" USING hash ("tx_hash");